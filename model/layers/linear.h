// Dot products, sums of squares and linear layers, all in one fixed order of summation.
//
// THE ORDER. A dot product of length n runs in 16 lanes. Lane l starts at +0 and adds, for
// i = l, l + 16, l + 32, ..., the product a[i] * b[i], which is rounded to binary32 before it is
// added (no fused multiply-add). The lanes are then folded in halves: lane l += lane l + 8 for
// l < 8, then + 4, + 2, + 1; lane 0 is the result. A row behaves as if padded with zeros to a
// multiple of 16, so appending zero columns never changes a bit.
//
// A matrix in compressed rows gives the bits of the same matrix with its zeros, for finite inputs:
// a product with a zero weight adds +0 or -0 to a lane, which changes no lane.
//
// The order is the same for every thread count, number of tokens and processor (the AVX2 and the
// portable build of the kernel give equal bits): prefill and decode agree exactly.
#pragma once

#include <cstddef>
#include <span>

#include "model/layers/rounding.h"
#include "model/layers/tensor.h"
#include "model/layers/workers.h"

namespace qgpu::model {

inline constexpr std::size_t kSumLanes = 16;

// sum_i a[i] * b[i] in the order above; the spans have one length.
float dot(std::span<const float> a, std::span<const float> b);

// y[t] = round(W x[t]) for every token t, W [out, in], x [tokens, in], y [tokens, out] (resized).
// The sum is rounded once, at its end.
template <Rounding kRounding>
void linear(const WeightView& w, const Activations& x, Activations& y, Workers& workers);

// The kernel behind both: y[t * y_stride + r] = sum_c w[r][c] * x[t * x_stride + c], unrounded, for
// all rows of `w` and `tokens` rows of x. Single-threaded.
struct Product {
  const float* x = nullptr;
  std::size_t x_stride = 0;
  std::size_t tokens = 0;
  float* y = nullptr;
  std::size_t y_stride = 0;
};
void multiply(const WeightView& w, const Product& product);

// The two builds of `multiply`, which picks one by what the processor has. `multiplyAvx2` must only
// run where hasAvx2().
bool hasAvx2();
void multiplyAvx2(const WeightView& w, const Product& product);
void multiplyPortable(const WeightView& w, const Product& product);

}  // namespace qgpu::model
