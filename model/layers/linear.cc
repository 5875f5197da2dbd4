#include "model/layers/linear.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "interpreter/base/failure.h"
#include "model/layers/compressed_rows.h"

namespace qgpu::model {
namespace {

// GCC's vector types: eight lanes, one AVX2 register or two SSE2 ones. Only ever local variables of
// functions that are inlined into `multiplyAvx2` and `multiplyPortable`.
using Float8 = float __attribute__((vector_size(32)));
using Word8 = std::uint32_t __attribute__((vector_size(32)));

// Rows that are run against every token before the next ones: their weights stay in the L2 cache.
constexpr std::size_t kRowBlock = 32;

#define QGPU_INLINE [[gnu::always_inline]] inline

// The 16 lanes of one dot product or 16 operands, in the order in which the weights come cheaply:
// fp32 as 0..7 and 8..15, bf16 as the even and the odd ones.
struct Lanes {
  Float8 first{};
  Float8 second{};
};

QGPU_INLINE void load(const float* from, Lanes& to) {
  std::memcpy(&to.first, from, sizeof to.first);
  std::memcpy(&to.second, from + 8, sizeof to.second);
}
QGPU_INLINE void load(const bfloat16* from, Lanes& to) {
  Word8 pairs;
  std::memcpy(&pairs, from, sizeof pairs);
  to.first = reinterpret_cast<Float8>(pairs << 16);
  to.second = reinterpret_cast<Float8>(pairs & 0xffff0000u);
}

// Adds the lanes up in halves: l + 8, l + 4, l + 2, l + 1.
QGPU_INLINE float fold(const Lanes& lanes, const float* /*weight*/) {
  Float8 v = lanes.first + lanes.second;
  v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
  v += __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
  return v[0] + v[1];
}
QGPU_INLINE float fold(const Lanes& lanes, const bfloat16* /*weight*/) {
  Float8 even = lanes.first;
  Float8 odd = lanes.second;
  even += __builtin_shufflevector(even, even, 4, 5, 6, 7, 0, 1, 2, 3);
  odd += __builtin_shufflevector(odd, odd, 4, 5, 6, 7, 0, 1, 2, 3);
  return ((even[0] + even[2]) + (even[1] + even[3])) + ((odd[0] + odd[2]) + (odd[1] + odd[3]));
}

// One step of a tile: 16 columns of kRows rows of W against kTokens rows of x.
template <int kRows, int kTokens, typename Weight>
QGPU_INLINE void accumulate(const Weight* const* w, const float* const* x,
                            Lanes (&sums)[kRows][kTokens]) {
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    Lanes weight;
    load(w[r], weight);
#pragma GCC unroll 4
    for (int t = 0; t < kTokens; ++t) {
      Lanes input;
      load(x[t], input);
      sums[r][t].first += weight.first * input.first;
      sums[r][t].second += weight.second * input.second;
    }
  }
}

// The input as the tiles want it: rows padded with zeros to whole steps, and in the lane order of
// the weights.
struct Input {
  std::vector<float> data;
  std::size_t stride = 0;
};

template <typename Weight>
QGPU_INLINE Input arrange(const Product& p, std::size_t cols) {
  Input input;
  input.stride = (cols + kSumLanes - 1) / kSumLanes * kSumLanes;
  input.data.resize(p.tokens * input.stride);
  for (std::size_t t = 0; t < p.tokens; ++t) {
    const float* from = p.x + t * p.x_stride;
    float* to = input.data.data() + t * input.stride;
    if constexpr (std::is_same_v<Weight, float>) {
      std::copy_n(from, cols, to);
    } else {
      for (std::size_t c = 0; c < cols; ++c)
        to[c / kSumLanes * kSumLanes + c % 2 * 8 + c % kSumLanes / 2] = from[c];
    }
  }
  return input;
}

template <int kRows, int kTokens, typename Weight>
QGPU_INLINE void tile(const Weight* w, std::size_t cols, const Input& input, const Product& p,
                      std::size_t row, std::size_t token) {
  Lanes sums[kRows][kTokens] = {};
  const Weight* weights[kRows];
  const float* inputs[kTokens];
  for (int r = 0; r < kRows; ++r) weights[r] = w + (row + r) * cols;
  for (int t = 0; t < kTokens; ++t) inputs[t] = input.data.data() + (token + t) * input.stride;
  for (std::size_t left = cols / kSumLanes; left > 0; --left) {
    accumulate<kRows, kTokens>(weights, inputs, sums);
    for (int r = 0; r < kRows; ++r) weights[r] += kSumLanes;
    for (int t = 0; t < kTokens; ++t) inputs[t] += kSumLanes;
  }
  if (const std::size_t tail = cols % kSumLanes; tail > 0) {
    Weight padded[kRows][kSumLanes] = {};
    for (int r = 0; r < kRows; ++r) {
      std::memcpy(padded[r], weights[r], tail * sizeof(Weight));
      weights[r] = padded[r];
    }
    accumulate<kRows, kTokens>(weights, inputs, sums);
  }
  for (int r = 0; r < kRows; ++r)
    for (int t = 0; t < kTokens; ++t) p.y[(token + t) * p.y_stride + row + r] = fold(sums[r][t], w);
}

// Rows [first, last) against kTokens tokens.
template <int kRows, int kTokens, typename Weight>
QGPU_INLINE void rowRange(const Weight* w, std::size_t cols, const Input& input, const Product& p,
                          std::size_t first, std::size_t last, std::size_t token) {
  std::size_t row = first;
  for (; row + kRows <= last; row += kRows) tile<kRows, kTokens>(w, cols, input, p, row, token);
  for (; row < last; ++row) tile<1, kTokens>(w, cols, input, p, row, token);
}

template <typename Weight>
QGPU_INLINE void multiplyAll(const Weight* w, const WeightView& view, const Product& p) {
  const std::size_t cols = view.cols();
  const Input input = arrange<Weight>(p, cols);
  for (std::size_t first = 0; first < view.rows(); first += kRowBlock) {
    const std::size_t last = std::min(first + kRowBlock, view.rows());
    std::size_t token = 0;
    for (; token + 3 <= p.tokens; token += 3) rowRange<2, 3>(w, cols, input, p, first, last, token);
    for (; token < p.tokens; ++token) rowRange<4, 1>(w, cols, input, p, first, last, token);
  }
}

QGPU_INLINE void multiplyEither(const WeightView& w, const Product& p) {
  if (w.compressed() != nullptr)
    multiplyCompressed<Float8>(w, p);
  else if (w.bf16() != nullptr)
    multiplyAll(w.bf16(), w, p);
  else
    multiplyAll(w.fp32(), w, p);
}

#undef QGPU_INLINE

}  // namespace

bool hasAvx2() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}

[[gnu::target("avx2")]] void multiplyAvx2(const WeightView& w, const Product& product) {
  multiplyEither(w, product);
}
void multiplyPortable(const WeightView& w, const Product& product) { multiplyEither(w, product); }

void multiply(const WeightView& w, const Product& product) {
  hasAvx2() ? multiplyAvx2(w, product) : multiplyPortable(w, product);
}

float dot(std::span<const float> a, std::span<const float> b) {
  check(a.size() == b.size(), "the operands of a dot product have one length");
  float result = 0.0f;
  multiply(WeightView(a), {b.data(), b.size(), 1, &result, 1});
  return result;
}

template <Rounding kRounding>
void linear(const WeightView& w, const Activations& x, Activations& y, Workers& workers) {
  check(w.cols() == width(x), "a linear layer's weight fits its input");
  const std::size_t tokens = tokenCount(x);
  y.resize(x.rows(), static_cast<Eigen::Index>(w.rows()));
  workers.forRanges(w.rows(), 64, [&](std::size_t first, std::size_t last) {
    multiply(w.rowRange(first, last - first),
             {x.data(), width(x), tokens, y.data() + first, w.rows()});
    if constexpr (kRounding == Rounding::Bfloat16)
      for (std::size_t t = 0; t < tokens; ++t)
        for (float& value : row(y, t).subspan(first, last - first))
          value = rounded<kRounding>(value);
  });
}

template void linear<Rounding::Float32>(const WeightView&, const Activations&, Activations&,
                                        Workers&);
template void linear<Rounding::Bfloat16>(const WeightView&, const Activations&, Activations&,
                                         Workers&);

}  // namespace qgpu::model
