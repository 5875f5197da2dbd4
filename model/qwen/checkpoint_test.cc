#include "model/qwen/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "interpreter/base/files.h"
#include "interpreter/base/sha256.h"
#include "model/qwen/check_folder.h"
#include "model/qwen/new_folder.h"
#include "model/qwen/synthetic.h"
#include "model/qwen/tensors.h"
#include "model/qwen/text_model.h"
#include "model/testing/temporary_folder.h"
#include "model/text/tokenizer.h"

namespace qgpu::model {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::string refusal(const fs::path& folder) {
  const auto checkpoint = Checkpoint::open(folder);
  return checkpoint ? "accepted" : checkpoint.error().text();
}

void write(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

// A single-file checkpoint of which one tensor is changed.
class Damaged {
 public:
  Damaged() {
    write(folder_ / "config.json", configJson(config_));
    for (const TensorSpec& spec : tensorsOf(config_)) {
      std::size_t size = 2;
      for (const std::size_t n : spec.shape) size *= n;
      tensors_.push_back(
          {storedName(spec.name, false), DType::BF16, spec.shape, std::span(zeros_).first(size)});
    }
  }
  Tensor& tensor(const std::string& name) {
    return *std::find_if(tensors_.begin(), tensors_.end(),
                         [&](const Tensor& t) { return t.name == name; });
  }
  std::vector<Tensor>& tensors() { return tensors_; }
  const std::vector<std::byte>& zeros() const { return zeros_; }
  std::string refusal() const {
    check(writeSafetensors(folder_ / "model.safetensors", tensors_).has_value(), "it is written");
    return model::refusal(folder_.path());
  }

 private:
  const Config config_ = tinyConfig();
  TemporaryFolder folder_;
  std::vector<std::byte> zeros_ = std::vector<std::byte>(1 << 20);
  std::vector<Tensor> tensors_;
};

TEST(Checkpoint, RecordedOnesOpen) {
  for (const char* name : {"grouped", "odd", "nested"})
    EXPECT_EQ(refusal(testData(std::string("models/") + name)), "accepted");
}

TEST(Checkpoint, EveryTensorIsNeeded) {
  for (std::size_t i = 0; i < Damaged().tensors().size(); i += 7) {
    Damaged damaged;
    const std::string name = damaged.tensors()[i].name;
    damaged.tensors().erase(damaged.tensors().begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_THAT(damaged.refusal(), HasSubstr("tensor " + name + " is missing"));
  }
}

TEST(Checkpoint, ShapesTypesAndStrangersAreRefused) {
  EXPECT_EQ(Damaged().refusal(), "accepted");
  {
    Damaged damaged;
    Tensor& t = damaged.tensor("model.layers.0.mlp.up_proj.weight");
    std::swap(t.shape[0], t.shape[1]);
    EXPECT_THAT(damaged.refusal(),
                HasSubstr("up_proj.weight has shape [64, 96]; the config asks for [96, 64]"));
  }
  {
    Damaged damaged;
    damaged.tensor("model.norm.weight").dtype = DType::F16;
    EXPECT_THAT(damaged.refusal(), HasSubstr("model.norm.weight is F16; BF16 is expected"));
  }
  {
    Damaged damaged;
    damaged.tensors().push_back({"model.layers.0.mlp.up_proj.weight_scale",
                                 DType::U8,
                                 {},
                                 std::span(damaged.zeros()).first(1)});
    EXPECT_THAT(damaged.refusal(), HasSubstr("weight_scale is not part of the model"));
  }
  {
    Damaged damaged;  // present and harmless
    for (const char* name : {"mtp.fc.weight", "model.visual.blocks.0.x", "lm_head.weight"})
      damaged.tensors().push_back({name, DType::U8, {}, std::span(damaged.zeros()).first(1)});
    EXPECT_EQ(damaged.refusal(), "accepted");
  }
}

TEST(Checkpoint, IndexNamesStayInTheFolder) {
  const auto reason = [](std::string_view shard) {
    const auto index =
        parseIndex(R"({"weight_map": {"x": )" + std::string(shard) + "}}", "index.json");
    return index ? "accepted" : index.error().text();
  };
  EXPECT_EQ(reason(R"("a.safetensors")"), "accepted");
  for (const char* shard :
       {R"("../../x.safetensors")", R"("/etc/x.safetensors")", R"("a/b.safetensors")", R"("..")",
        R"("")", R"("a\\b.safetensors")", R"("a.bin")", R"(".safetensors")",
        R"("a\u0000.safetensors")", "7", "null", "[]"})
    EXPECT_THAT(reason(shard), HasSubstr("weight_map places x in")) << shard;
  EXPECT_THAT(parseIndex("{}", "i").error().text(), HasSubstr("weight_map is missing"));
  EXPECT_THAT(parseIndex("{\"weight_map\": []}", "i").error().text(), HasSubstr("not an object"));
}

TEST(Checkpoint, ShardsAreWhatTheIndexSays) {
  const TemporaryFolder folder;
  ASSERT_TRUE(writeSyntheticCheckpoint(
      folder.path(), {.config = tinyConfig(), .shard_bytes = 100'000, .multimodal_names = true}));
  ASSERT_EQ(refusal(folder.path()), "accepted");
  const auto index =
      parseIndex(readFile(folder / "model.safetensors.index.json").value(), "index").value();
  const fs::path shard = folder / index.at("model.language_model.norm.weight");
  const fs::path other = folder / index.at("model.language_model.embed_tokens.weight");
  ASSERT_NE(shard, other);
  const std::string whole = readFile(shard).value();

  write(shard, whole.substr(0, whole.size() - 1));
  EXPECT_THAT(refusal(folder.path()), HasSubstr(shard.string() + ": error: tensor"));
  write(shard, whole.substr(0, 100));
  EXPECT_THAT(refusal(folder.path()), HasSubstr("ends inside its header"));
  write(shard, readFile(other).value());
  EXPECT_THAT(refusal(folder.path()), HasSubstr("which the index places there"));
  fs::remove(shard);
  EXPECT_THAT(refusal(folder.path()), HasSubstr("cannot open"));
}

TEST(Checkpoint, NothingAtAllIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal(folder.path()), HasSubstr("config.json: error: cannot open"));
  write(folder / "config.json", configJson(tinyConfig()));
  EXPECT_THAT(refusal(folder.path()), HasSubstr("model.safetensors: error: cannot open"));
  EXPECT_FALSE(Checkpoint::open("/nowhere"));
}

TEST(Synthetic, SameSeedSameBytesAndAUsableModel) {
  const TemporaryFolder a;
  const TemporaryFolder b;
  const TemporaryFolder c;
  ASSERT_TRUE(writeSyntheticCheckpoint(a.path(), {.config = tinyConfig(), .seed = 5}));
  ASSERT_TRUE(writeSyntheticCheckpoint(b.path(), {.config = tinyConfig(), .seed = 5}));
  ASSERT_TRUE(writeSyntheticCheckpoint(c.path(), {.config = tinyConfig(), .seed = 6}));
  const auto weights = [](const TemporaryFolder& f) {
    return readFile(f / "model.safetensors").value();
  };
  EXPECT_EQ(weights(a), weights(b));
  EXPECT_NE(weights(a), weights(c));

  const auto tokenizer = Tokenizer::open(a / "tokenizer.json");
  ASSERT_TRUE(tokenizer) << tokenizer.error().text();
  auto model = TextModel::open(a.path(), {});
  ASSERT_TRUE(model);
  TextState state = model->newState();
  const auto logits = model->feed(tokenizer->encode("Hi<|im_end|>").value(), state);
  ASSERT_TRUE(logits);
  EXPECT_TRUE(
      std::all_of(logits->begin(), logits->end(), [](float x) { return std::isfinite(x); }));
}

TEST(NewFolder, AppearsWholeOrNotAtAll) {
  const TemporaryFolder folder;
  const auto entries = [&] {
    return std::distance(std::filesystem::directory_iterator(folder.path()), {});
  };
  {
    auto dropped = NewFolder::create(folder / "new", 0);
    ASSERT_TRUE(dropped);
    write(dropped->path() / "file", "1");
    EXPECT_EQ(entries(), 1);
  }
  EXPECT_EQ(entries(), 0);
  auto kept = NewFolder::create(folder / "a/new/", 0);
  ASSERT_TRUE(kept);
  write(kept->path() / "file", "1");
  ASSERT_TRUE(kept->keep());
  EXPECT_EQ(readFile(folder / "a/new/file").value(), "1");
  EXPECT_THAT(NewFolder::create(folder / "a/new", 0).error().text(), HasSubstr("there already"));
  EXPECT_THAT(NewFolder::create(folder / "b", ~std::uintmax_t{0}).error().text(),
              HasSubstr("GB are needed"));
}

TEST(CheckFolder, SaysWhatIsThereAndWhatIsMissing) {
  const TemporaryFolder folder;
  const FolderReport empty = checkModelFolder(folder.path());
  EXPECT_FALSE(empty.good());
  EXPECT_THAT(empty.text(), HasSubstr("Qwen/Qwen3.5-2B"));

  ASSERT_TRUE(writeSyntheticCheckpoint(folder.path(), {.config = tinyConfig()}));
  const FolderReport full = checkModelFolder(folder.path());
  EXPECT_TRUE(full.good()) << full.text();
  EXPECT_FALSE(full.is_qwen_2b);
  EXPECT_TRUE(full.advice.empty());

  const std::filesystem::path notes = folder / ".cache/huggingface/download";
  std::filesystem::create_directories(notes);
  const auto note = [&](const std::string& hash) {
    write(notes / "config.json.metadata", "commit\n" + hash + "\n1.5\n");
  };
  note(sha256(readFile(folder / "config.json").value()));
  EXPECT_THAT(checkModelFolder(folder.path()).text(), HasSubstr("1 files are as their download"));
  note("0123");  // of a file outside large file storage
  EXPECT_THAT(checkModelFolder(folder.path()).text(), HasSubstr("not known"));
  note(std::string(64, '0'));
  EXPECT_FALSE(checkModelFolder(folder.path()).good());

  Config small = tinyConfig();
  small.vocab_size = 200;
  write(folder / "config.json", configJson(small));
  const FolderReport wrong = checkModelFolder(folder.path());
  EXPECT_FALSE(wrong.good());
  EXPECT_THAT(wrong.text(), HasSubstr("has shape [320, 64]; the config asks for [200, 64]"));
  EXPECT_THAT(wrong.text(), HasSubstr("has 289 tokens, more than the 200 of config.json"));
}

}  // namespace
}  // namespace qgpu::model
