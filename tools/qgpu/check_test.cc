// Traces on disk: what `run --trace` writes, `trace` shows and `check` verifies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "interpreter/base/files.h"
#include "tools/testing/command_test.h"

namespace qgpu::testing {
namespace {

using ::testing::HasSubstr;

class CheckCommandTest : public CommandTest {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string traced(const std::string& engine) {
    const std::string file = path(engine + ".trace");
    EXPECT_EQ(dot({"--engine", engine, "--trace", file}).status, 0);
    return file;
  }
  // A trace with one text put for another.
  std::string altered(const std::string& file, const std::string& from, const std::string& to) {
    std::string text = readFile(file).value();
    const std::size_t at = text.rfind(from);
    EXPECT_NE(at, std::string::npos);
    return folder_.write("altered.trace", text.replace(at, from.size(), to));
  }
};

TEST_F(CheckCommandTest, VerifiesWhatEitherEngineWrote) {
  const Json result =
      object(runCommand({"check", "--json", traced("interpreter"), traced("model")}));
  EXPECT_EQ(result["status"], "ok");
  EXPECT_EQ(result["check"]["mismatches"], 0);
  ASSERT_EQ(result["traces"].size(), 2u);
  const Json &proposed = result["traces"][0], &written = result["traces"][1];
  EXPECT_EQ(keysOf(proposed),
            (std::set<std::string>{"status", "file", "kernel", "engine", "chain", "launch",
                                   "end_state", "ending", "tokens", "check"}));
  EXPECT_EQ(proposed["kernel"], "dot<<<1, 3>>>");
  EXPECT_EQ(proposed["engine"], "interpreter");
  EXPECT_EQ(written["engine"], "model");
  EXPECT_EQ(proposed["ending"], "halted");
  EXPECT_EQ(proposed["launch"], written["launch"]);
  EXPECT_EQ(proposed["end_state"], written["end_state"]);
  EXPECT_NE(proposed["chain"], written["chain"]);
  EXPECT_EQ(result["check"]["positions"].get<int>(), 2 * proposed["check"]["positions"].get<int>());
}

TEST_F(CheckCommandTest, AnAlteredTokenIsAMismatchWithItsLine) {
  const Outcome outcome =
      runCommand({"check", "--json", altered(traced("interpreter"), "MEM 7 32", "MEM 7 33")});
  EXPECT_EQ(outcome.status, 1);
  const Json result = object(outcome);
  EXPECT_EQ(result["status"], "mismatch");
  EXPECT_EQ(result["check"]["mismatches"], 1);
  EXPECT_THAT(result["message"].get<std::string>(), HasSubstr("MEM 7 32"));
  EXPECT_THAT(result["location"].get<std::string>(), HasSubstr("altered.trace:42:1"));
}

// The same words in another order are the same launch to the machine: only the hashes tell.
TEST_F(CheckCommandTest, AnAlteredLaunchIsFoundByTheChain) {
  const std::string file =
      altered(traced("interpreter"), "MEM 1 1\nMEM 2 2\n", "MEM 2 2\nMEM 1 1\n");
  const Outcome outcome = runCommand({"check", file});
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.error, HasSubstr("not those that were written"));
  const Outcome shown = runCommand({"trace", file});
  EXPECT_EQ(shown.status, 2);
  EXPECT_THAT(shown.error, HasSubstr("not those that were written"));
}

TEST_F(CheckCommandTest, ATraceThatIsCutIsFound) {
  const std::string file = altered(traced("interpreter"), "HALT\n", "");
  EXPECT_EQ(runCommand({"check", file}).status, 1);
}

TEST_F(CheckCommandTest, WhatIsNoTraceIsRefused) {
  EXPECT_EQ(runCommand({"check"}).status, 2);
  EXPECT_EQ(runCommand({"check", path("none.trace")}).status, 2);
  const Outcome outcome = runCommand({"check", "--json", folder_.write("t", "HALT\nBANG\n")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(object(outcome)["status"], "refusal");
  EXPECT_THAT(object(outcome)["location"].get<std::string>(), HasSubstr("t:2:1"));
}

TEST_F(CheckCommandTest, PlainTokensAreCheckedWithoutAChain) {
  std::string tokens;
  std::istringstream lines(readFile(traced("interpreter")).value());
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with('#')) tokens += line + '\n';
  const Json result = object(runCommand({"check", "--json", folder_.write("plain", tokens)}));
  EXPECT_EQ(result["status"], "ok");
  EXPECT_FALSE(result["traces"][0].contains("chain"));
  EXPECT_EQ(runCommand({"trace", path("plain")}).status, 0);
}

TEST_F(CheckCommandTest, TheReportIsTheSameForWhoeverMakesIt) {
  const std::string trace = traced("interpreter"), report = path("a.json");
  EXPECT_EQ(runCommand({"check", trace, "--report", report}).status, 0);
  EXPECT_EQ(runCommand({"check", trace, "--jobs", "1", "--report", path("b.json")}).status, 0);
  const std::string text = readFile(report).value();
  EXPECT_EQ(text, readFile(path("b.json")).value());
  const Json parsed = Json::parse(text);
  EXPECT_EQ(parsed["format"], "qgpu.audit");
  EXPECT_EQ(parsed["launches"], 1);
  EXPECT_EQ(parsed["mismatches"], 0);
  EXPECT_EQ(parsed["weights"].get<std::string>().size(), 64u);
  EXPECT_EQ(parsed["traces"][0]["trace"], "interpreter.trace");
}

}  // namespace
}  // namespace qgpu::testing
