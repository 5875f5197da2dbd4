// The SwiGLU feed-forward block (Shazeer, "GLU Variants Improve Transformer", 2020).
//
//   out = Wdown ( silu(Wgate x) * (Wup x) )
//
// With rounding to bfloat16 the gate, its silu, the up projection, their product and the output are
// rounded, in that order.
#pragma once

#include "model/layers/rounding.h"
#include "model/layers/tensor.h"
#include "model/layers/workers.h"

namespace qgpu::model {

struct MlpWeights {
  WeightView gate_proj;  // [intermediate, hidden]
  WeightView up_proj;    // [intermediate, hidden]
  WeightView down_proj;  // [hidden, intermediate]
};

// x, out: [tokens, hidden]; `out` is resized.
template <Rounding kRounding>
void mlp(const MlpWeights& weights, const Activations& x, Activations& out, Workers& workers);

}  // namespace qgpu::model
