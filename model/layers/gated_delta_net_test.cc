// What the recurrence must do to values that fp32 holds exactly, and that its parts are where the
// formulas put them. (Random values are compared with transformers in qwen/reference_test.cc.)
#include "model/layers/gated_delta_net.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>

#include "model/layers/elementwise.h"
#include "model/layers/linear.h"
#include "model/layers/norm.h"

namespace qgpu::model {
namespace {

// Published facts about silu, sigmoid and softplus in binary32 and after rounding to bf16.
TEST(Elementwise, SaturatesWhereItShould) {
  EXPECT_EQ(silu(0.0f), 0.0f);
  EXPECT_EQ(silu(-89.0f), 0.0f);
  EXPECT_TRUE(std::signbit(silu(-89.0f)));
  EXPECT_EQ(sigmoid(-89.0f), 0.0f);
  EXPECT_EQ(sigmoid(16.75f), 1.0f);
  EXPECT_EQ(softplus(20.5f), 20.5f);
  EXPECT_EQ(softplus(-104.0f), 0.0f);
  EXPECT_EQ(std::exp(-softplus(-17.375f)), 1.0f);
  for (std::uint32_t bits = 0; bits < 0x7f80; ++bits) {  // every finite bf16 >= 0
    const float x = toFloat({static_cast<std::uint16_t>(bits)});
    ASSERT_TRUE(x < 6.0f || roundToBfloat16(silu(x)) == x) << x;
    ASSERT_TRUE(x < 16.75f || silu(x) == x) << x;
    ASSERT_TRUE(x < 6.25f || roundToBfloat16(sigmoid(x)) == 1.0f) << x;
  }
  EXPECT_NE(roundToBfloat16(silu(5.9375f)), 5.9375f);
  EXPECT_NE(silu(16.625f), 16.625f);
}

TEST(Norm, ByHand) {
  const std::vector<float> x = {3.0f, 4.0f, 0.0f, 0.0f};  // mean square 6.25
  const std::vector<float> weight = {0.0f, 1.0f, -1.0f, 5.0f};
  std::vector<float> out(4);
  rmsNorm<Rounding::Float32>(x, WeightView(std::span<const float>(weight)), 0.0f, out);
  EXPECT_EQ(out[0], 3.0f * 0.4f);
  EXPECT_EQ(out[1], (4.0f * 0.4f) * 2.0f);
  EXPECT_EQ(out[2], 0.0f);
  rmsNorm<Rounding::Bfloat16>(x, WeightView(std::span<const float>(weight)), 0.0f, out);
  EXPECT_EQ(out[0], roundToBfloat16(3.0f * 0.4f));
  std::vector<float> key = {128.0f, 0.0f, 0.0f};
  l2Normalize(key, 1e-6f);
  EXPECT_EQ(key, (std::vector<float>{1.0f, 0.0f, 0.0f}));
}

// With one-hot keys, decay and strength in {0, 1} and integers up to 2^20 the state is an exact
// memory.
RC_GTEST_PROP(DeltaRule, OneHotKeysMakeAnExactMemory, (unsigned seed)) {
  constexpr std::size_t kRows = 16;
  constexpr std::size_t kCols = 8;
  std::mt19937 random(seed);
  std::vector<float> state(kRows * kCols);
  std::vector<float> expected = state;
  for (int step = 0; step < 200; ++step) {
    std::vector<float> key(kRows);
    std::vector<float> query(kRows);
    std::vector<float> value(kCols);
    const std::size_t write = random() % kRows;
    const std::size_t read = random() % kRows;
    key[write] = 1.0f;
    query[read] = 1.0f;
    for (float& v : value)
      v = static_cast<float>(static_cast<int>(random() % (1 << 21)) - (1 << 20));
    const bool wipe = random() % 16 == 0;
    const bool strength = random() % 4 != 0;
    if (wipe) std::fill(expected.begin(), expected.end(), 0.0f);
    if (strength)
      std::copy(value.begin(), value.end(),
                expected.begin() + static_cast<std::ptrdiff_t>(write * kCols));
    std::vector<float> output(kCols);
    const DeltaRuleToken token{.key = key.data(),
                               .query = query.data(),
                               .value = value.data(),
                               .log_decay = wipe ? -128.0f : 0.0f,
                               .beta = strength ? 1.0f : 0.0f};
    deltaRule({&token, 1}, kRows, kCols, state.data(), output.data());
    RC_ASSERT(state == expected);
    for (std::size_t j = 0; j < kCols; ++j) RC_ASSERT(output[j] == expected[read * kCols + j]);
  }
}

// The five steps as the header states them, one scalar at a time.
std::vector<float> byDefinition(const DeltaRuleToken& token, std::size_t rows, std::size_t cols,
                                std::vector<float>& state) {
  std::vector<float> output(cols);
  for (std::size_t j = 0; j < cols; ++j) {
    float read = 0.0f;
    for (std::size_t i = 0; i < rows; ++i) {
      state[i * cols + j] *= std::exp(token.log_decay);
      read += state[i * cols + j] * token.key[i];
    }
    const float d = (token.value[j] - read) * token.beta;
    for (std::size_t i = 0; i < rows; ++i) {
      state[i * cols + j] += token.key[i] * d;
      output[j] += state[i * cols + j] * token.query[i];
    }
  }
  return output;
}

RC_GTEST_PROP(DeltaRule, EveryBuildFollowsTheStatedSteps, (unsigned seed)) {
  std::mt19937 random(seed);
  const std::size_t rows = 1 + random() % 9, cols = 1 + random() % 70, count = 1 + random() % 5;
  const auto any = [&](std::size_t n) {
    std::vector<float> values(n);
    for (float& v : values) v = std::uniform_real_distribution<float>(-2.0f, 2.0f)(random);
    return values;
  };
  const std::vector<float> keys = any(count * rows), queries = any(count * rows),
                           values = any(count * cols), gates = any(2 * count),
                           before = any(rows * cols);
  std::vector<DeltaRuleToken> tokens;
  for (std::size_t t = 0; t < count; ++t)
    tokens.push_back({.key = keys.data() + t * rows,
                      .query = queries.data() + t * rows,
                      .value = values.data() + t * cols,
                      .log_decay = gates[2 * t],
                      .beta = gates[2 * t + 1]});
  std::vector<float> expected_state = before, expected;
  for (const DeltaRuleToken& token : tokens)
    for (const float x : byDefinition(token, rows, cols, expected_state)) expected.push_back(x);
  for (const auto build : {deltaRule, deltaRulePortable, hasAvx2() ? deltaRuleAvx2 : deltaRule}) {
    std::vector<float> state = before, output(count * cols);
    build(tokens, rows, cols, state.data(), output.data());
    RC_ASSERT(state == expected_state);
    RC_ASSERT(output == expected);
  }
}

// A layer of one head of two dims on three inputs, small enough to follow.
struct Tiny {
  GatedDeltaNetShape shape{.hidden = 3,
                           .key_heads = 1,
                           .value_heads = 1,
                           .key_dim = 2,
                           .value_dim = 2,
                           .conv_kernel = 4,
                           .eps = 1e-6f};
  std::vector<float> qkv = std::vector<float>(6 * 3);
  std::vector<float> z = std::vector<float>(2 * 3);
  std::vector<float> b = std::vector<float>(3);
  std::vector<float> a = std::vector<float>(3);
  std::vector<float> conv = std::vector<float>(6 * 4);
  std::vector<float> dt = {-200.0f};  // softplus 0: no decay
  std::vector<float> a_log = {0.0f};
  std::vector<float> norm = {1.0f, 1.0f};
  std::vector<float> out = {1, 0, 0, 1, 0, 0};  // [3][2]

  GatedDeltaNetWeights weights() const {
    const auto matrix = [](const std::vector<float>& v, std::size_t rows) {
      return WeightView(v.data(), rows, v.size() / rows);
    };
    return {matrix(qkv, 6), matrix(z, 2),     matrix(b, 1),    matrix(a, 1),  matrix(conv, 6),
            matrix(dt, 1),  matrix(a_log, 1), matrix(norm, 1), matrix(out, 3)};
  }
  Activations run(const std::vector<std::vector<float>>& tokens, GatedDeltaNetState& state) const {
    Activations x = activations(tokens.size(), 3);
    for (std::size_t t = 0; t < tokens.size(); ++t)
      std::copy(tokens[t].begin(), tokens[t].end(), row(x, t).begin());
    Activations y;
    Workers workers;
    gatedDeltaNet<Rounding::Float32>(shape, weights(), x, state, y, workers);
    return y;
  }
};

TEST(GatedDeltaNet, ConvolutionTapsAndTheTail) {
  Tiny layer;
  layer.qkv[4 * 3] = 1.0f;  // v0 = x0
  for (int j = 0; j < 4; ++j)
    layer.conv[4 * 4 + static_cast<std::size_t>(j)] = static_cast<float>(1 << (8 * j));
  layer.qkv[2 * 3 + 1] = 1.0f;  // k0 = x1
  layer.conv[2 * 4 + 3] = 1.0f;
  layer.b = {0.0f, 200.0f, 0.0f};  // beta = 1 where x1 is set
  GatedDeltaNetState state(layer.shape);
  layer.run({{20, 0, 0}, {30, 0, 0}}, state);
  EXPECT_EQ(state.conv[2 * 6 + 4], 30.0f);  // the newest is the last
  EXPECT_EQ(state.conv[1 * 6 + 4], 20.0f);
  layer.run({{40, 0, 0}, {50, 100, 0}}, state);
  // Tap 3 multiplies the current token, tap 0 the one three back.
  EXPECT_EQ(state.recurrent[0], 20.0f + 256.0f * 30.0f + 65536.0f * 40.0f + 16777216.0f * 50.0f);
}

TEST(GatedDeltaNet, ZeroInputsLeaveAnUndecayedStateAlone) {
  Tiny layer;
  GatedDeltaNetState state(layer.shape);
  state.recurrent = {1.5f, -2.0f, 3.25f, 1e-30f};
  const GatedDeltaNetState before = state;
  const Activations y = layer.run({{0, 0, 0}, {0, 0, 0}}, state);
  EXPECT_EQ(state, before);
  EXPECT_EQ(y.cwiseAbs().maxCoeff(), 0.0f);
}

TEST(GatedDeltaNet, TheWriteComesBeforeTheRead) {
  Tiny layer;
  layer.qkv[0] = layer.qkv[2 * 3] = 1.0f;  // q0 = k0 = x0
  layer.qkv[4 * 3 + 1] = 1.0f;             // v0 = x1
  for (std::size_t c : {0u, 2u, 4u}) layer.conv[c * 4 + 3] = 1.0f;
  layer.b = {200.0f, 0.0f, 0.0f};
  layer.z = {0.0f, 0.0f, 100.0f, 0.0f, 0.0f, 0.0f};
  GatedDeltaNetState state(layer.shape);
  const Activations y = layer.run({{128, 64, 1}}, state);
  EXPECT_EQ(state.recurrent[0], 64.0f);
  EXPECT_GT(y(0, 0), 100.0f);  // the value just written, normed to sqrt(2), times the gate of 100
}

TEST(GatedDeltaNetDeath, ForeignShapesAreABug) {
  Tiny layer;
  layer.shape.hidden = 4;
  GatedDeltaNetState state(layer.shape);
  EXPECT_EXIT(layer.run({{1, 2, 3}}, state), ::testing::ExitedWithCode(4), "have its shape");
}

}  // namespace
}  // namespace qgpu::model
