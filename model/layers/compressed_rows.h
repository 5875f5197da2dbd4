// The product with a matrix in compressed rows. A part of linear.cc, whose builds of `multiply`
// each compile it for their processor.
//
// Eight tokens run side by side, one in each element of a vector, so a weight is read once for
// eight; every token's sum keeps the order that linear.h states. The tokens left over run alone.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>

#include "model/layers/linear.h"

namespace qgpu::model {

// One row against x, which holds column c of all tokens that run side by side, then column c + 1.
template <typename Tokens>
[[gnu::always_inline]] inline void sumCompressedRow(const CompressedRows& m, std::size_t r,
                                                    const float* x, Tokens& sum) {
  const auto add = [&](std::uint32_t i, Tokens& lane) {
    Tokens input;
    std::memcpy(&input, x + m.columns[i] * sizeof(Tokens) / sizeof(float), sizeof input);
    lane += toFloat(m.values[i]) * input;
  };
  if (m.starts[r] + 1 == m.starts[r + 1]) {  // the other lanes are zero
    sum = Tokens{};
    add(m.starts[r], sum);
    return;
  }
  Tokens lanes[kSumLanes] = {};
  for (std::uint32_t i = m.starts[r]; i < m.starts[r + 1]; ++i)
    add(i, lanes[m.columns[i] % kSumLanes]);
#pragma GCC unroll 4
  for (std::size_t half = kSumLanes / 2; half > 0; half /= 2)
#pragma GCC unroll 8
    for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  sum = lanes[0];
}

template <typename Float8>
[[gnu::always_inline]] inline void multiplyCompressed(const WeightView& w, const Product& p) {
  constexpr std::size_t kTokens = sizeof(Float8) / sizeof(float);
  const CompressedRows& m = *w.compressed();
  std::size_t t = 0;
  const auto columns =
      std::make_unique_for_overwrite<float[]>(p.tokens < kTokens ? 0 : w.cols() * kTokens);
  for (; t + kTokens <= p.tokens; t += kTokens) {
    const float* x = p.x + t * p.x_stride;
    float* y = p.y + t * p.y_stride;
    for (std::size_t c = 0; c < w.cols(); ++c)
      for (std::size_t k = 0; k < kTokens; ++k) columns[c * kTokens + k] = x[k * p.x_stride + c];
    for (std::size_t r = 0; r < w.rows(); ++r) {
      Float8 sum{};
      if (m.starts[r] != m.starts[r + 1]) sumCompressedRow(m, r, columns.get(), sum);
      for (std::size_t k = 0; k < kTokens; ++k) y[k * p.y_stride + r] = sum[k];
    }
  }
  for (; t < p.tokens; ++t)
    for (std::size_t r = 0; r < w.rows(); ++r)
      sumCompressedRow(m, r, p.x + t * p.x_stride, p.y[t * p.y_stride + r]);
}

}  // namespace qgpu::model
