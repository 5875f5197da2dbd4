// The circuit file: round trips, and refusals of everything that is not one.
#include "model/weights/circuit_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "interpreter/base/files.h"
#include "interpreter/base/safetensors.h"
#include "interpreter/protocol/token.h"
#include "model/testing/temporary_folder.h"
#include "model/weights/small_circuit.h"

namespace qgpu::model {
namespace {

using ::testing::HasSubstr;

class CircuitFile : public ::testing::Test {
 protected:
  std::filesystem::path path(const std::string& name = "c.safetensors") const {
    return folder_.path() / name;
  }
  std::string written(const Circuit& circuit) const {
    EXPECT_TRUE(writeCircuit(path(), circuit));
    return readFile(path()).value();
  }
  // The text of the Refusal, which names the file.
  std::string refusalOf(const std::string& bytes) const {
    EXPECT_TRUE(writeFileAtomically(path("damaged"), bytes));
    const auto circuit = readCircuit(path("damaged"));
    if (circuit) return "accepted";
    EXPECT_EQ(circuit.error().kind, FailureKind::Refusal);
    EXPECT_THAT(circuit.error().text(), HasSubstr(path("damaged").string()));
    return circuit.error().text();
  }
  // The file with other metadata under one key, or without the key.
  std::string refusalWith(const std::string& key, const std::optional<std::string>& value) const {
    EXPECT_TRUE(writeCircuit(path(), smallCircuit()));
    const auto file = Safetensors::open(path());
    Metadata metadata = file->metadata();
    if (value)
      metadata[key] = *value;
    else
      metadata.erase(key);
    std::vector<Tensor> tensors;
    for (const std::size_t size : {4u, 2u})
      for (const auto& [name, tensor] : file->tensors())
        if (byteSize(tensor.dtype) == size) tensors.push_back(tensor);
    EXPECT_TRUE(writeSafetensors(path("damaged"), tensors, metadata));
    return refusalOf(readFile(path("damaged")).value());
  }

  TemporaryFolder folder_;
};

TEST_F(CircuitFile, KeepsEverything) {
  const Circuit circuit = smallCircuit();
  ASSERT_TRUE(writeCircuit(path(), circuit));
  const auto read = readCircuit(path());
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(*read == circuit);
}

TEST_F(CircuitFile, TheSameCircuitGivesTheSameBytes) {
  EXPECT_EQ(written(smallCircuit()), written(smallCircuit()));
  EXPECT_NE(written(smallCircuit()), written(smallCircuit(2)));
}

TEST_F(CircuitFile, TensorsHaveTheirStockNames) {
  ASSERT_TRUE(writeCircuit(path(), smallCircuit()));
  const auto file = Safetensors::open(path());
  for (const std::string_view name :
       {"model.layers.2.mlp.down_proj.weight.values",
        "model.layers.0.linear_attn.in_proj_qkv.weight.starts", "model.layers.1.linear_attn.A_log",
        "model.layers.1.linear_attn.conv1d.weight.columns", "model.norm.weight"})
    EXPECT_NE(file->find(name), nullptr) << name;
}

TEST_F(CircuitFile, RefusesEveryTruncation) {
  const std::string bytes = written(smallCircuit());
  for (std::size_t length = 0; length < bytes.size(); length += 1 + bytes.size() / 97)
    EXPECT_NE(refusalOf(bytes.substr(0, length)), "accepted") << length;
  EXPECT_NE(refusalOf(bytes + '\0'), "accepted");
}

TEST_F(CircuitFile, RefusesEveryFlippedBit) {
  const std::string bytes = written(smallCircuit());
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    std::string flipped = bytes;
    // Half of them in the header, which is the smaller part.
    const std::size_t at = random() % (i % 2 == 0 ? 30'000 : bytes.size());
    flipped[at] = static_cast<char>(flipped[at] ^ 1 << random() % 8);
    const std::string message = refusalOf(flipped);
    // A space in the header may change; then the same circuit is read.
    if (message == "accepted") {
      EXPECT_TRUE(*readCircuit(path("damaged")) == smallCircuit()) << at;
    }
  }
}

TEST_F(CircuitFile, RefusesOtherFilesAndMachines) {
  EXPECT_THAT(refusalOf("{}"), HasSubstr("damaged"));
  EXPECT_THAT(refusalWith("format", "pt"), HasSubstr("not a circuit file"));
  EXPECT_THAT(refusalWith("format", std::nullopt), HasSubstr("lacks 'format'"));
  EXPECT_THAT(refusalWith("format_version", "2"), HasSubstr("format version 2"));
  EXPECT_THAT(refusalWith("machine", R"({"lanes":8})"), HasSubstr("another size of machine"));
  EXPECT_THAT(refusalWith("instruction_table", std::string(64, '0')),
              HasSubstr("another instruction table"));
  EXPECT_THAT(refusalWith("weights", std::string(64, '0')),
              HasSubstr("not those that were written"));
  EXPECT_THAT(refusalWith("substrate", "{}"), HasSubstr("substrate"));
  EXPECT_THAT(refusalWith("substrate", "["), HasSubstr("substrate"));
  EXPECT_THAT(refusalWith("budget", "[]"), HasSubstr("one entry for each layer"));
  EXPECT_THAT(refusalWith("memories", R"({"a":{"layer":3,"head":0}})"), HasSubstr("layer"));
  EXPECT_THAT(refusalWith("probes", R"({"a":{"step":0,"sign":true,"dims":[64]}})"),
              HasSubstr("dims"));
  EXPECT_THAT(refusalWith("lm_head", R"({"scale":0.3})"), HasSubstr("scale"));
}

// Whoever writes a hash over a wrong circuit still gets a Refusal.
TEST_F(CircuitFile, RefusesCircuitsThatContradictThemselves) {
  const auto refusal = [&](auto change) {
    Circuit circuit = smallCircuit();
    change(circuit);
    EXPECT_TRUE(writeCircuit(path("damaged"), circuit));
    const auto read = readCircuit(path("damaged"));
    return read ? "accepted" : read.error().message;
  };
  EXPECT_THAT(refusal([](Circuit& c) { c.unembedding.codes[7] = c.unembedding.codes[8]; }),
              HasSubstr("given twice"));
  EXPECT_THAT(refusal([](Circuit& c) { c.unembedding.codes[1] = 1 << 18; }),
              HasSubstr("out of range"));
  EXPECT_THAT(refusal([](Circuit& c) { c.unembedding.dims[0] = 64; }), HasSubstr("lm_head"));
  EXPECT_THAT(refusal([](Circuit& c) { c.embedding.columns[5] = 64; }), HasSubstr("outside"));
  EXPECT_THAT(refusal([](Circuit& c) { std::swap(c.embedding.starts[5], c.embedding.starts[9]); }),
              HasSubstr("vocabulary"));
  EXPECT_THAT(refusal([](Circuit& c) { c.layers[1].norm.pop_back(); }), HasSubstr("128 values"));
  EXPECT_THAT(refusal([](Circuit& c) { c.layers[2].up_proj = SparseMatrix(31, 64, {}); }),
              HasSubstr("another shape"));
}

}  // namespace
}  // namespace qgpu::model
