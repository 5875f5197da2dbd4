#include "model/layers/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace qgpu::model {
namespace {

// Two query heads share a key head; the identity everywhere, so that every number can be followed.
struct Tiny {
  AttentionShape shape{.hidden = 4,
                       .query_heads = 2,
                       .key_heads = 1,
                       .head_dim = 4,
                       .rotary_dim = 2,
                       .rope_theta = 1e7,
                       .eps = 1e-6f};
  std::vector<float> q = std::vector<float>(16 * 4);
  std::vector<float> k = std::vector<float>(4 * 4);
  std::vector<float> v = std::vector<float>(4 * 4);
  std::vector<float> o = std::vector<float>(4 * 8);
  std::vector<float> q_norm = std::vector<float>(4);
  std::vector<float> k_norm = std::vector<float>(4);

  Activations run(const std::vector<std::vector<float>>& tokens, KeyValueCache& cache) const {
    const auto matrix = [](const std::vector<float>& m, std::size_t rows) {
      return WeightView(m.data(), rows, m.size() / rows);
    };
    const AttentionWeights weights{matrix(q, 16), matrix(k, 4),      matrix(v, 4),
                                   matrix(o, 4),  matrix(q_norm, 1), matrix(k_norm, 1)};
    Activations x = activations(tokens.size(), 4);
    for (std::size_t t = 0; t < tokens.size(); ++t)
      std::copy(tokens[t].begin(), tokens[t].end(), row(x, t).begin());
    Activations y;
    Workers workers;
    attention<Rounding::Float32>(shape, weights, x, cache.keys.front().size() / 4, cache, y,
                                 workers);
    return y;
  }
};

TEST(Attention, OneTokenSeesItsOwnValueThroughTheGate) {
  Tiny layer;
  for (std::size_t i = 0; i < 4; ++i) layer.v[i * 4 + i] = 1.0f;
  for (std::size_t i = 0; i < 4; ++i) layer.o[i * 8 + i] = 1.0f;      // head 0
  for (std::size_t i = 0; i < 4; ++i) layer.q[(4 + i) * 4] = 200.0f;  // its gate rows: open
  KeyValueCache cache(layer.shape);
  EXPECT_EQ(layer.run({{1, 2, 3, 4}}, cache), (Activations{{1, 2, 3, 4}}));
  for (std::size_t i = 0; i < 4; ++i) layer.q[(4 + i) * 4] = -200.0f;  // closed
  KeyValueCache other(layer.shape);
  EXPECT_EQ(layer.run({{1, 2, 3, 4}}, other), (Activations{{0, 0, 0, 0}}));
}

TEST(Attention, ZeroQueriesMixAllValuesEvenly) {
  Tiny layer;
  layer.v[0] = 1.0f;
  layer.o[0] = 1.0f;
  layer.q[4 * 4 + 1] = 200.0f;
  KeyValueCache cache(layer.shape);
  const Activations y = layer.run({{2, 1, 0, 0}, {4, 1, 0, 0}, {6, 1, 0, 0}, {8, 1, 0, 0}}, cache);
  EXPECT_EQ(y(0, 0), 2.0f);
  EXPECT_EQ(y(1, 0), 3.0f);
  EXPECT_FLOAT_EQ(y(2, 0), 4.0f);
  EXPECT_EQ(y(3, 0), 5.0f);  // later tokens see earlier ones, never the other way round
}

TEST(Attention, HeadsAndTheirGatesAreInterleaved) {
  Tiny layer;
  layer.v[0] = 1.0f;
  layer.o[4] = 1.0f;             // out 0 reads the first dim of head 1
  layer.q[12 * 4 + 1] = 200.0f;  // rows 8..11 are head 1's query, 12..15 its gate
  KeyValueCache cache(layer.shape);
  EXPECT_EQ(layer.run({{5, 1, 0, 0}}, cache)(0, 0), 5.0f);
}

TEST(RotaryAngles, PairsTurnByPositionTimesFrequency) {
  AttentionShape shape{.hidden = 0,
                       .query_heads = 1,
                       .key_heads = 1,
                       .head_dim = 256,
                       .rotary_dim = 64,
                       .rope_theta = 1e7};
  const RotaryAngles angles(shape);
  ASSERT_EQ(angles.pairs(), 32u);
  std::vector<float> cosines(32);
  std::vector<float> sines(32);
  angles.at<Rounding::Float32>(1, cosines, sines);
  EXPECT_EQ(sines[0], std::sin(1.0f));
  EXPECT_NEAR(sines[31], 1.6548e-7, 1e-11);  // the lowest published frequency
  for (std::size_t i = 0; i < 32; ++i)
    EXPECT_NEAR(sines[i], std::sin(std::pow(1e7, -2.0 * static_cast<double>(i) / 64)), 1e-6);
  angles.at<Rounding::Float32>(0, cosines, sines);
  EXPECT_EQ(cosines, std::vector<float>(32, 1.0f));
  angles.at<Rounding::Bfloat16>(3, cosines, sines);
  EXPECT_EQ(sines[0], roundToBfloat16(std::sin(3.0f)));
}

}  // namespace
}  // namespace qgpu::model
