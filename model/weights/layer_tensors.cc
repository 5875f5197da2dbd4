#include "model/weights/layer_tensors.h"

#include <fmt/format.h>

namespace qgpu::model {
namespace {

std::size_t unsign(int n) { return static_cast<std::size_t>(n); }

std::array<MatrixTensor, 9> matricesOf(const Substrate& s) {
  using L = LayerWeights;
  const std::size_t hidden = unsign(s.hidden), inner = unsign(s.intermediate);
  const std::size_t heads = unsign(s.heads), width = heads * kHeadDim;
  return {{{"linear_attn.in_proj_qkv.weight", &L::in_proj_qkv, 3 * width, hidden},
           {"linear_attn.in_proj_z.weight", &L::in_proj_z, width, hidden},
           {"linear_attn.in_proj_b.weight", &L::in_proj_b, heads, hidden},
           {"linear_attn.in_proj_a.weight", &L::in_proj_a, heads, hidden},
           {"linear_attn.conv1d.weight", &L::conv1d, 3 * width, kConvTaps},
           {"linear_attn.out_proj.weight", &L::out_proj, hidden, width},
           {"mlp.gate_proj.weight", &L::gate_proj, inner, hidden},
           {"mlp.up_proj.weight", &L::up_proj, inner, hidden},
           {"mlp.down_proj.weight", &L::down_proj, hidden, inner}}};
}

std::array<VectorTensor, 5> vectorsOf(const Substrate& s) {
  using L = LayerWeights;
  return {{{"input_layernorm.weight", &L::input_layernorm, unsign(s.hidden)},
           {"linear_attn.dt_bias", &L::dt_bias, unsign(s.heads)},
           {"linear_attn.A_log", &L::a_log, unsign(s.heads)},
           {"linear_attn.norm.weight", &L::norm, kHeadDim},
           {"post_attention_layernorm.weight", &L::post_attention_layernorm, unsign(s.hidden)}}};
}

}  // namespace

LayerTensors::LayerTensors(const Substrate& s) : matrices(matricesOf(s)), vectors(vectorsOf(s)) {}

std::string tensorName(std::size_t layer, std::string_view name) {
  return fmt::format("model.layers.{}.{}", layer, name);
}

}  // namespace qgpu::model
