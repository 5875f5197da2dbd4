// Root-mean-square norms. Sums of squares run in the order of linear.h.
#pragma once

#include <span>

#include "model/layers/rounding.h"
#include "model/layers/tensor.h"

namespace qgpu::model {

// The zero-centred RMSNorm of the residual stream and of the attention's queries and keys: a stored
// weight of 0 is a gain of 1.
//
//   out_j = round( (x_j * s) * (1 + w_j) ),   s = 1 / sqrt( (sum_i x_i^2) / n + eps )
//
// `out` may be `x`.
template <Rounding kRounding>
void rmsNorm(std::span<const float> x, const WeightView& weight, float eps, std::span<float> out);

// The same for every row of `x`; `out` is resized.
template <Rounding kRounding>
void rmsNorm(const Activations& x, const WeightView& weight, float eps, Activations& out);

// The gated norm of a GDN head (plain weight, norm first, then the gate):
//
//   r = round(x_j * s);   m = round(w_j * r);   x_j = round(m * silu(gate_j))
template <Rounding kRounding>
void gatedRmsNorm(std::span<float> x, std::span<const float> gate, const WeightView& weight,
                  float eps);

// x_j * 1 / sqrt(sum_i x_i^2 + eps), never rounded to bfloat16: the keys and queries of the delta
// rule.
void l2Normalize(std::span<float> x, float eps);

}  // namespace qgpu::model
