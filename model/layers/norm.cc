#include "model/layers/norm.h"

#include "interpreter/base/failure.h"
#include "model/layers/elementwise.h"
#include "model/layers/linear.h"

namespace qgpu::model {
namespace {

float reciprocalRms(std::span<const float> x, float eps) {
  return reciprocalSqrt(dot(x, x) / static_cast<float>(x.size()) + eps);
}

}  // namespace

template <Rounding kRounding>
void rmsNorm(std::span<const float> x, const WeightView& weight, float eps, std::span<float> out) {
  check(weight.size() == x.size() && out.size() == x.size(), "a norm's weight fits its input");
  const float scale = reciprocalRms(x, eps);
  for (std::size_t j = 0; j < x.size(); ++j)
    out[j] = rounded<kRounding>((x[j] * scale) * (1.0f + weight.at(j)));
}

template <Rounding kRounding>
void rmsNorm(const Activations& x, const WeightView& weight, float eps, Activations& out) {
  out.resize(x.rows(), x.cols());
  for (std::size_t t = 0; t < tokenCount(x); ++t)
    rmsNorm<kRounding>(row(x, t), weight, eps, row(out, t));
}

template <Rounding kRounding>
void gatedRmsNorm(std::span<float> x, std::span<const float> gate, const WeightView& weight,
                  float eps) {
  const float scale = reciprocalRms(x, eps);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const float normed = rounded<kRounding>(x[j] * scale);
    const float weighted = rounded<kRounding>(weight.at(j) * normed);
    x[j] = rounded<kRounding>(weighted * silu(gate[j]));
  }
}

void l2Normalize(std::span<float> x, float eps) {
  const float scale = reciprocalSqrt(dot(x, x) + eps);
  for (float& value : x) value *= scale;
}

#define QGPU_INSTANTIATE(R)                                                                     \
  template void rmsNorm<R>(std::span<const float>, const WeightView&, float, std::span<float>); \
  template void rmsNorm<R>(const Activations&, const WeightView&, float, Activations&);         \
  template void gatedRmsNorm<R>(std::span<float>, std::span<const float>, const WeightView&, float)
QGPU_INSTANTIATE(Rounding::Float32);
QGPU_INSTANTIATE(Rounding::Bfloat16);
#undef QGPU_INSTANTIATE

}  // namespace qgpu::model
