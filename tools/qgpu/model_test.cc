// `qgpu model` and `qgpu export`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "interpreter/base/files.h"
#include "tools/testing/command_test.h"

namespace qgpu::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ModelTest : public CommandTest {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string synthesized() {
    const std::string folder = path("small");
    const Json made = object(runCommand({"model", "synthesize", folder, "--seed", "3", "--json"}));
    EXPECT_EQ(made["parameters"], 535064);
    return folder;
  }
};

TEST_F(ModelTest, HelpHasAnExample) {
  for (const char* verb : {"model", "export"}) {
    const Outcome outcome = runCommand({verb, "--help"});
    EXPECT_EQ(outcome.status, 0) << verb;
    EXPECT_THAT(outcome.out, HasSubstr("Example\n  $ qgpu ")) << verb;
    EXPECT_THAT(runCommand({"--help"}).out, HasSubstr(verb));
  }
}

TEST_F(ModelTest, CheckSaysWhatIsThereAndWhatIsMissing) {
  const std::string folder = synthesized();
  const Json good = object(runCommand({"model", "check", folder, "--json"}));
  EXPECT_EQ(good["status"], "ok");
  EXPECT_EQ(good["items"].size(), 4u);
  EXPECT_EQ(good["is_qwen_2b"], false);

  std::filesystem::resize_file(folder + "/model.safetensors", 5000);
  const Outcome cut = runCommand({"model", "check", folder});
  EXPECT_EQ(cut.status, 2);
  EXPECT_THAT(cut.out,
              HasSubstr("weights         BAD   " + folder + "/model.safetensors: error: "));
  std::filesystem::remove(folder + "/tokenizer.json");
  EXPECT_THAT(runCommand({"model", "check", folder}).out,
              HasSubstr("tokenizer.json  BAD   " + folder + "/tokenizer.json"));

  const Json nothing = object(runCommand({"model", "check", path("nowhere"), "--json"}));
  EXPECT_EQ(nothing["status"], "refusal");
  EXPECT_THAT(nothing["message"].get<std::string>(),
              HasSubstr("https://huggingface.co/Qwen/Qwen3.5-2B"));
}

TEST_F(ModelTest, SynthesizeWritesAFolderThatIsNotThere) {
  const std::string folder = synthesized();
  const Outcome again = runCommand({"model", "synthesize", folder});
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.error, HasSubstr("is there already"));
  EXPECT_EQ(runCommand({"model", "synthesize", path("other"), "--shape", "big"}).status, 2);
  EXPECT_FALSE(std::filesystem::exists(path("other")));
}

TEST_F(ModelTest, BenchShowsThatALaunchLeavesTheTextAlone) {
  const Json bench =
      object(runCommand({"model", "bench", synthesized(), "--rounds", "2", "--json"}));
  EXPECT_EQ(bench["status"], "ok");
  EXPECT_EQ(bench["launch_result"], 32);
  EXPECT_EQ(bench["launch_tokens"], 3);
  EXPECT_EQ(bench["compared_logits"], 4 * 320);
  EXPECT_EQ(bench["different_logits"], 0);
}

TEST_F(ModelTest, ExportIsRefusedBeforeAnythingIsWritten) {
  const std::string out = path("merged");
  EXPECT_THAT(runCommand({"export", "--hf", out, "--model", path("nowhere")}).error,
              HasSubstr("config.json"));
  const std::string base = synthesized();
  const std::string trace = folder_.write("bad.trace", "HALT\nNONSENSE\n");
  EXPECT_THAT(runCommand({"export", "--hf", out, "--model", base, "--tokens", trace}).error,
              StartsWith(trace + ":2"));
  const Outcome there = runCommand({"export", "--hf", base, "--model", base});
  EXPECT_EQ(there.status, 2);
  EXPECT_THAT(there.error, HasSubstr("is there already"));
  Json config = Json::parse(readFile(base + "/config.json").value());
  config["rms_norm_eps"] = 1e-5;
  ASSERT_TRUE(writeFileAtomically(base + "/config.json", config.dump()));
  EXPECT_THAT(runCommand({"export", "--hf", out, "--model", base}).error,
              HasSubstr("its rms_norm_eps is not 1e-6"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace qgpu::testing
