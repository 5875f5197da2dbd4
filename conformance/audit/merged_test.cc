// The merged model of a small random base: text must have the bits of the base alone, whatever
// launches stand before, between and after it, and the launches must be right. With all 45 + 4
// layers run at the full width, and with the circuit's skipped for text.
#include "model/merged/merged_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "compiler/circuit/machine/circuit.h"
#include "conformance/audit/dot_launch.h"
#include "interpreter/base/files.h"
#include "interpreter/base/json.h"
#include "interpreter/machine/machine.h"
#include "interpreter/testing/sanitized.h"
#include "model/qwen/synthetic.h"
#include "model/testing/temporary_folder.h"

namespace qgpu::conformance {
namespace {

using model::Circuit;
using model::MergedModel;
using model::Rounding;
using model::StackedModel;
using model::TextModel;
using model::TextState;
using model::TokenId;
using protocol::Token;
using ::testing::HasSubstr;

const std::filesystem::path& baseFolder() {
  static const model::TemporaryFolder folder;
  static const bool written =
      model::writeSyntheticCheckpoint(folder.path(), {.config = model::smallConfig(), .seed = 5})
          .has_value();
  check(written, "the base model is written");
  return folder.path();
}

const Circuit& theWideCircuit() {
  static const Circuit circuit = [] {
    auto built = circuit::machine::buildCircuit(*model::substrateFor(model::smallConfig()));
    check(built.has_value(), "the machine fits in front of the base model");
    return std::move(*built);
  }();
  return circuit;
}

const std::vector<Token>& hostTokens() {
  static const std::vector<Token> tokens = protocol::hostTokens(dotLaunch());
  return tokens;
}
std::vector<TokenId> someText(std::size_t count, unsigned seed) {
  std::vector<TokenId> tokens;
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    tokens.push_back((seed >> 8) % 320);
  }
  return tokens;
}

// What launches did to text: exactly nothing, or they did something.
struct Drift {
  double kl = 0;        // of the next token's distribution, in nats
  float max_logit = 0;  // largest difference
  bool same_bits = true;
};
Drift drift(const std::vector<float>& expected, const std::vector<float>& got) {
  check(expected.size() == got.size(), "logits of one vocabulary are compared");
  const auto logSum = [](const std::vector<float>& logits) {
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
    return std::log(sum);
  };
  Drift result;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double p = expected[i] - logSum(expected), q = got[i] - logSum(got);
    result.kl += std::exp(p) * (p - q);
    result.max_logit = std::max(result.max_logit, std::fabs(expected[i] - got[i]));
  }
  result.same_bits = std::memcmp(got.data(), expected.data(), sizeof(float) * got.size()) == 0;
  return result;
}

void expectNone(const Drift& d) {
  EXPECT_EQ(d.kl, 0.0);
  EXPECT_EQ(d.max_logit, 0.0f);
  EXPECT_TRUE(d.same_bits);
}

struct Way {
  Rounding rounding;
  bool skip_identity;
};
class Merged : public ::testing::TestWithParam<Way> {
 protected:
  // A merged model and the base alone, which reads the same text and no launch.
  Merged()
      : merged_(std::move(*MergedModel::open(
            baseFolder(), theWideCircuit(),
            {.rounding = GetParam().rounding, .skip_identity = GetParam().skip_identity}))),
        base_(std::move(*TextModel::open(baseFolder(), {.rounding = GetParam().rounding}))),
        text_(merged_->newState()),
        base_text_(base_.newState()) {}

  // The result is added to what the launches before left in word 7.
  void launch() {
    const model::Decoding run = merged_->launch(hostTokens(), 100);
    EXPECT_EQ(run.written, machine::launch(machine_, hostTokens(), 100)->written);
    result_ += 32;
    EXPECT_EQ(merged_->word(theWideCircuit().memory("stage1.load.memory.global0"), 7, 32), result_);
  }
  void text(std::size_t count, unsigned seed) {
    const std::vector<TokenId> tokens = someText(count, seed);
    expectNone(drift(*base_.feed(tokens, base_text_), *merged_->feed(tokens, text_)));
    EXPECT_EQ(text_.position, base_text_.position);
  }
  void greedy(std::size_t count) {
    const std::vector<TokenId> prompt = someText(3, 9);
    const model::GenerateOptions options{.max_tokens = count};
    EXPECT_EQ(*merged_->generate(text_, prompt, options),
              *model::generate(base_, base_text_, prompt, options));
  }

  std::unique_ptr<MergedModel> merged_;
  TextModel base_;
  TextState text_, base_text_;
  machine::Machine machine_;
  std::uint32_t result_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Ways, Merged,
                         ::testing::Values(Way{Rounding::Float32, true},
                                           Way{Rounding::Float32, false},
                                           Way{Rounding::Bfloat16, true},
                                           Way{Rounding::Bfloat16, false}));

TEST_P(Merged, LaunchesBeforeBetweenAndAfterLeaveNoTraceInText) {
  if (isatest::kSanitized && !GetParam().skip_identity)
    GTEST_SKIP() << "minutes; StockForm's tests run the same code";
  launch();
  text(6, 1);
  launch();
  text(1, 2);
  greedy(4);
  if (!GetParam().skip_identity) return;  // enough for the slow way
  launch();
  text(40, 3);
  launch();
}

TEST(MergedModel, TextAndMachineTokensAreApart) {
  const auto model = std::move(*MergedModel::open(baseFolder(), theWideCircuit(), {}));
  EXPECT_EQ(model->textTokens(), 320u);
  EXPECT_EQ(model->idOf(Token::fromId(0).value()), 320u);
  EXPECT_EQ(model->machineToken(319), std::nullopt);
  EXPECT_EQ(model->machineToken(model->idOf(Token::halt())), Token::halt());
  EXPECT_EQ(model->machineToken(static_cast<TokenId>(320 + model->machineTokens())), std::nullopt);
  TextState text = model->newState();
  EXPECT_THAT(model->feed({{model->idOf(Token::halt())}}, text).error().text(),
              HasSubstr("outside the vocabulary"));
}

// As a stock implementation runs the whole: in weights alone text reaches no launch and a launch
// not the memory of a linear layer, but it does take positions.
TEST(StockForm, WhatWeightsAloneKeepApart) {
  auto stack = std::move(*StackedModel::open(
      baseFolder(), theWideCircuit(),
      {.rounding = Rounding::Float32, .machine = StackedModel::Machine::AsStock}));
  TextModel base = std::move(*TextModel::open(baseFolder(), {.rounding = Rounding::Float32}));
  TextState text = stack->newState(), base_text = base.newState();
  const std::vector<TokenId> first = someText(6, 1), second = someText(4, 2);
  expectNone(drift(*base.feed(first, base_text), *stack->feed(first, text)));
  const std::vector<float> all = stack->allLogits();
  EXPECT_LT(std::ranges::max_element(all) - all.begin(), 320) << "text is followed by text";

  const TextState before = text;
  machine::Machine machine;
  EXPECT_EQ(stack->launch(hostTokens(), 100, text).written,
            machine::launch(machine, hostTokens(), 100)->written);
  EXPECT_EQ(stack->word(theWideCircuit().memory("stage1.load.memory.global0"), 7, 32), 32u);
  for (const std::size_t linear : {0u, 1u, 2u})
    EXPECT_EQ(std::get<model::GatedDeltaNetState>(text.layers[linear]).recurrent,
              std::get<model::GatedDeltaNetState>(before.layers[linear]).recurrent);
  EXPECT_GT(text.position, before.position);
  EXPECT_FALSE(drift(*base.feed(second, base_text), *stack->feed(second, text)).same_bits)
      << "the positions are gone without a trace: is the launch in the stream at all?";
}

TEST(StockForm, NothingReadsTheMarkOfText) {
  const auto mark = static_cast<std::uint16_t>(model::Constants(theWideCircuit().substrate).text);
  for (const model::LayerWeights& layer : theWideCircuit().layers)
    for (const model::SparseMatrix* m : {&layer.in_proj_qkv, &layer.in_proj_z, &layer.in_proj_a,
                                         &layer.in_proj_b, &layer.gate_proj, &layer.up_proj})
      for (std::size_t row = 0; row < m->rows(); ++row)
        ASSERT_FALSE(std::ranges::binary_search(m->rowColumns(row), mark));
}

TEST(StockForm, BasesThatTheMachineFits) {
  const auto of2b = model::substrateFor(model::qwen2bConfig());
  ASSERT_TRUE(of2b);
  EXPECT_EQ(of2b->hidden, 8192);
  EXPECT_EQ(of2b->first_dim, 2048);
  const auto refusal = [](auto change) {
    model::Config config = model::smallConfig();
    change(config);
    const auto substrate = model::substrateFor(config);
    return substrate ? std::string() : substrate.error().text();
  };
  EXPECT_THAT(refusal([](auto& c) { c.hidden_size = 2560; }), HasSubstr("power of two"));
  EXPECT_THAT(refusal([](auto& c) { c.intermediate_size = 9216; }), HasSubstr("9216 wide"));
  EXPECT_THAT(refusal([](auto& c) { c.rms_norm_eps = 1e-5f; }), HasSubstr("rms_norm_eps"));
  EXPECT_THAT(refusal([](auto& c) { c.linear_attention.value_dim = 64; }), HasSubstr("128 wide"));
  EXPECT_THAT(refusal([](auto& c) { c.linear_attention.value_heads = 32; }),
              HasSubstr("32 linear value heads"));
  EXPECT_THAT(refusal([](auto& c) { c.linear_attention.conv_kernel = 3; }), HasSubstr("4 taps"));
}

TEST(StockForm, ACircuitForAnotherPlaceIsRefused) {
  const auto stack = StackedModel::open(baseFolder(), Circuit{}, {});
  ASSERT_FALSE(stack);
  EXPECT_THAT(stack.error().text(), HasSubstr("a width of 4096 from dim 64 on"));
}

// What transformers wrote with the exported model (tools/oracle/run_export.py).
TEST(Export, TransformersWritesTheTokensThatWeWrite) {
  const std::filesystem::path path = model::testData("export.json");
  const auto record = parseJson(readFile(path).value(), path.string()).value();
  const auto tokens = [&](const nlohmann::json& lines) {
    std::vector<Token> parsed;
    for (const auto& line : lines)
      parsed.push_back(Token::parse(line.get<std::string>(), {path.string(), 0, 0}).value());
    return parsed;
  };
  EXPECT_EQ(record["hidden_size"], theWideCircuit().substrate.hidden);
  model::MachineModel model(theWideCircuit());
  std::map<std::string, int> compared;
  for (const auto& launch : record["launches"]) {
    model.reset();
    const model::Decoding run = model::decode(model, tokens(launch["host"]), 2000);
    EXPECT_TRUE(run.ended);
    for (const char* rounding : {"fp32", "bf16"}) {
      if (!launch.contains(rounding)) continue;
      EXPECT_EQ(run.written, tokens(launch[rounding])) << launch["name"] << ' ' << rounding;
      ++compared[rounding];
    }
  }
  EXPECT_GE(compared["fp32"], 4);
  EXPECT_GE(compared["bf16"], 2);
}

}  // namespace
}  // namespace qgpu::conformance
