#include "model/layers/linear.h"

#include <cstdint>
#include <cstring>

#include "interpreter/base/failure.h"

namespace qgpu::model {
namespace {

// GCC's vector types: eight lanes, one AVX2 register or two SSE2 ones. Only ever local variables of
// functions that are inlined into `multiplyAvx2` and `multiplyPortable`.
using Float8 = float __attribute__((vector_size(32)));
using Word8 = std::uint32_t __attribute__((vector_size(32)));
using Half8 = std::uint16_t __attribute__((vector_size(16)));

constexpr std::size_t kLanes = 16;

#define QGPU_INLINE [[gnu::always_inline]] inline

QGPU_INLINE void load8(const float* from, Float8& to) { std::memcpy(&to, from, sizeof to); }
QGPU_INLINE void load8(const bfloat16* from, Float8& to) {
  Half8 half;
  std::memcpy(&half, from, sizeof half);
  const Word8 wide = __builtin_convertvector(half, Word8) << 16;
  std::memcpy(&to, &wide, sizeof to);
}

// The 16 lanes of one dot product.
struct Lanes {
  Float8 low{};   // lanes 0 to 7
  Float8 high{};  // lanes 8 to 15
};

QGPU_INLINE float fold(const Lanes& lanes) {
  Float8 v = lanes.low + lanes.high;
  v += __builtin_shuffle(v, Word8{4, 5, 6, 7, 0, 1, 2, 3});
  v += __builtin_shuffle(v, Word8{2, 3, 0, 1, 6, 7, 4, 5});
  return v[0] + v[1];
}

// One tile of the product: kRows rows of W against kTokens rows of x.
template <int kRows, int kTokens, typename Weight>
QGPU_INLINE void accumulate(const Weight* const* w, const float* const* x,
                            Lanes (&sums)[kRows][kTokens]) {
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    Lanes weight;
    load8(w[r], weight.low);
    load8(w[r] + 8, weight.high);
#pragma GCC unroll 4
    for (int t = 0; t < kTokens; ++t) {
      Lanes input;
      load8(x[t], input.low);
      load8(x[t] + 8, input.high);
      sums[r][t].low += weight.low * input.low;
      sums[r][t].high += weight.high * input.high;
    }
  }
}

template <int kRows, int kTokens, typename Weight>
QGPU_INLINE void tile(const Weight* w, std::size_t cols, const Product& p, std::size_t row,
                      std::size_t token) {
  Lanes sums[kRows][kTokens] = {};
  const Weight* weights[kRows];
  const float* inputs[kTokens];
  for (int r = 0; r < kRows; ++r) weights[r] = w + (row + r) * cols;
  for (int t = 0; t < kTokens; ++t) inputs[t] = p.x + (token + t) * p.x_stride;
  const std::size_t whole = cols - cols % kLanes;
  for (std::size_t c = 0; c < whole; c += kLanes) {
    accumulate<kRows, kTokens>(weights, inputs, sums);
    for (int r = 0; r < kRows; ++r) weights[r] += kLanes;
    for (int t = 0; t < kTokens; ++t) inputs[t] += kLanes;
  }
  if (whole < cols) {  // the last columns, padded with zeros
    Weight weight_tail[kRows][kLanes] = {};
    float input_tail[kTokens][kLanes] = {};
    for (int r = 0; r < kRows; ++r) {
      std::memcpy(weight_tail[r], weights[r], (cols - whole) * sizeof(Weight));
      weights[r] = weight_tail[r];
    }
    for (int t = 0; t < kTokens; ++t) {
      std::memcpy(input_tail[t], inputs[t], (cols - whole) * sizeof(float));
      inputs[t] = input_tail[t];
    }
    accumulate<kRows, kTokens>(weights, inputs, sums);
  }
  for (int r = 0; r < kRows; ++r)
    for (int t = 0; t < kTokens; ++t) p.y[(token + t) * p.y_stride + row + r] = fold(sums[r][t]);
}

template <int kRows, typename Weight>
QGPU_INLINE void rowsAgainstAllTokens(const Weight* w, std::size_t cols, const Product& p,
                                      std::size_t row) {
  std::size_t token = 0;
  for (; token + 3 <= p.tokens; token += 3) tile<kRows, 3>(w, cols, p, row, token);
  for (; token < p.tokens; ++token) tile<kRows, 1>(w, cols, p, row, token);
}

template <typename Weight>
QGPU_INLINE void multiplyAll(const Weight* w, const WeightView& view, const Product& p) {
  const std::size_t rows = view.rows();
  const std::size_t cols = view.cols();
  std::size_t row = 0;
  if (p.tokens == 1)
    for (; row + 4 <= rows; row += 4) tile<4, 1>(w, cols, p, row, 0);
  for (; row + 2 <= rows; row += 2) rowsAgainstAllTokens<2>(w, cols, p, row);
  for (; row < rows; ++row) rowsAgainstAllTokens<1>(w, cols, p, row);
}

QGPU_INLINE void multiplyEither(const WeightView& w, const Product& p) {
  if (w.bf16() != nullptr)
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
