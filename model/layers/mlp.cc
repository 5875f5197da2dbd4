#include "model/layers/mlp.h"

#include "model/layers/elementwise.h"
#include "model/layers/linear.h"

namespace qgpu::model {

template <Rounding kRounding>
void mlp(const MlpWeights& weights, const Activations& x, Activations& out, Workers& workers) {
  Activations gate;
  Activations up;
  linear<kRounding>(weights.gate_proj, x, gate, workers);
  linear<kRounding>(weights.up_proj, x, up, workers);
  for (std::size_t t = 0; t < tokenCount(x); ++t) {
    const std::span<float> g = row(gate, t);
    const std::span<const float> u = row(up, t);
    for (std::size_t j = 0; j < g.size(); ++j)
      g[j] = rounded<kRounding>(rounded<kRounding>(silu(g[j])) * u[j]);
  }
  linear<kRounding>(weights.down_proj, gate, out, workers);
}

template void mlp<Rounding::Float32>(const MlpWeights&, const Activations&, Activations&, Workers&);
template void mlp<Rounding::Bfloat16>(const MlpWeights&, const Activations&, Activations&,
                                      Workers&);

}  // namespace qgpu::model
