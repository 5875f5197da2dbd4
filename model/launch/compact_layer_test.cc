// A layer without its unused heads and units has the bits of the whole one.
#include "model/launch/compact_layer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "model/launch/stock_layer.h"

namespace qgpu::model {
namespace {

constexpr Substrate kSmall{.hidden = 64, .dims = 64, .heads = 4};
constexpr std::size_t kUnits = 80;

// Few rows with weights of mixed size, so that another order or other lanes would give other bits.
class AnyLayer {
 public:
  explicit AnyLayer(unsigned seed) : random_(seed) {}

  LayerWeights operator()() {
    const std::size_t hidden = kSmall.hidden, heads = kSmall.heads, width = heads * kHeadDim;
    return {.input_layernorm = vector(hidden),
            .in_proj_qkv = matrix(3 * width, hidden, 300),
            .in_proj_z = matrix(width, hidden, 900),
            .in_proj_b = matrix(heads, hidden, 10),
            .in_proj_a = matrix(heads, hidden, 10),
            .conv1d = matrix(3 * width, kConvTaps, 2),
            .out_proj = matrix(hidden, width, 2),
            .dt_bias = vector(heads),
            .a_log = vector(heads),
            .norm = vector(kHeadDim),
            .post_attention_layernorm = vector(hidden),
            .gate_proj = matrix(kUnits, hidden, 3),
            .up_proj = matrix(kUnits, hidden, 3),
            .down_proj = matrix(hidden, kUnits, 3)};
  }
  float value() {
    return std::ldexp(static_cast<float>(static_cast<int>(random_() % 255) - 127),
                      static_cast<int>(random_() % 8) - 10);
  }

 private:
  std::vector<bfloat16> vector(std::size_t size) {
    std::vector<bfloat16> v(size);
    for (bfloat16& x : v) x = toBfloat16(value());
    return v;
  }
  // One row of `one_in` has weights, in about a third of the columns.
  SparseMatrix matrix(std::size_t rows, std::size_t columns, unsigned one_in) {
    std::vector<Entry> entries;
    for (std::uint32_t r = 0; r < rows; ++r) {
      if (random_() % one_in != 0) continue;
      for (std::uint32_t c = 0; c < columns; ++c)
        if (const float v = value(); random_() % 3 == 0 && v != 0) entries.push_back({r, c, v});
    }
    return {rows, columns, std::move(entries)};
  }

  std::mt19937 random_;
};

RC_GTEST_PROP(CompactLayer, HasTheBitsOfTheWholeLayer, (unsigned seed)) {
  AnyLayer any(seed);
  const LayerWeights weights = any();
  StockLayer whole(weights, kSmall, Storage::Dense), kept(weights, kSmall, Storage::Compressed);
  Workers workers;
  Activations x = activations(11, kSmall.hidden);
  for (float& value : x.reshaped()) value = any.value();
  Activations y = x;
  for (int block = 0; block < 2; ++block) {
    whole.addMixer<Rounding::Float32>(x, workers);
    kept.addMixer<Rounding::Float32>(y, workers);
    RC_ASSERT(x == y);
    RC_ASSERT(whole.state() == kept.state());
    whole.addMlp<Rounding::Float32>(x, workers);
    kept.addMlp<Rounding::Float32>(y, workers);
    RC_ASSERT(x == y);
    kept.setState(whole.state());
  }
  RC_CLASSIFY(compact(weights, kSmall).heads.size() < 4, "drops a head");
  RC_CLASSIFY(compact(weights, kSmall).weights.gate_proj.rows() < kUnits, "drops units");
}

TEST(CompactLayer, KeepsWhatHasWeights) {
  AnyLayer any(1);
  LayerWeights weights = any();
  weights.in_proj_qkv = SparseMatrix(3 * 512, 64, {{5 * 128 + 3, 7, 1}});  // head 1's key 3
  weights.in_proj_z = SparseMatrix(512, 64, {{3 * 128, 0, 1}});            // head 3's gate 0
  weights.in_proj_a = weights.in_proj_b = SparseMatrix(4, 64, {});
  weights.gate_proj = SparseMatrix(kUnits, 64, {{17, 2, 1}, {33, 2, 1}, {34, 2, 1}});
  weights.up_proj = SparseMatrix(kUnits, 64, {{79, 2, 1}});
  weights.down_proj = SparseMatrix(64, kUnits, {{0, 33, 1}, {0, 17, 2}, {0, 79, 3}, {9, 50, 4}});
  const CompactLayer small = compact(weights, kSmall);
  EXPECT_EQ(small.heads, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(small.weights.in_proj_qkv, SparseMatrix(3 * 256, 64, {{2 * 128 + 3, 7, 1}}));
  EXPECT_EQ(small.weights.in_proj_z, SparseMatrix(256, 64, {{128, 0, 1}}));
  // Units 17 and 33 share a lane; 79 has that of 15. Nobody reads 34, and 50 is zero.
  EXPECT_EQ(small.weights.gate_proj, SparseMatrix(32, 64, {{1, 2, 1}, {17, 2, 1}}));
  EXPECT_EQ(small.weights.up_proj, SparseMatrix(32, 64, {{15, 2, 1}}));
  EXPECT_EQ(small.weights.down_proj, SparseMatrix(64, 32, {{0, 17, 1}, {0, 1, 2}, {0, 15, 3}}));
}

// exp(A_log) is infinite, softplus(dt_bias) zero: the head's memory becomes NaN at the first token.
TEST(CompactLayer, KeepsAHeadThatIsNoNumber) {
  AnyLayer any(2);
  LayerWeights weights = any();
  weights.in_proj_qkv = SparseMatrix(3 * 512, 64, {});
  weights.in_proj_z = SparseMatrix(512, 64, {});
  weights.in_proj_a = weights.in_proj_b = SparseMatrix(4, 64, {});
  weights.a_log[2] = toBfloat16(100.0f);
  weights.dt_bias[2] = toBfloat16(-200.0f);
  EXPECT_EQ(compact(weights, kSmall).heads, (std::vector<std::size_t>{2}));
}

}  // namespace
}  // namespace qgpu::model
