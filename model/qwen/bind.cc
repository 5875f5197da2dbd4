#include "model/qwen/bind.h"

namespace qgpu::model {

WeightView WeightBinder::view(std::string_view name, bool as_matrix) {
  const Tensor& tensor = checkpoint_.tensor(name);
  const std::size_t rows = as_matrix ? tensor.shape.front() : 1;
  const std::size_t cols = tensor.elementCount() / rows;
  if (tensor.dtype == DType::BF16) return {tensor.as<bfloat16>().data(), rows, cols};
  const std::span<const float> values = tensor.as<float>();
  if (rounding_ == Rounding::Float32) return {values.data(), rows, cols};
  auto& copy = storage_.emplace_back(std::make_unique<std::vector<bfloat16>>());
  for (const float value : values) copy->push_back(toBfloat16(value));
  return {copy->data(), rows, cols};
}

GatedDeltaNetWeights WeightBinder::linearAttention(const std::string& prefix) {
  const std::string at = prefix + "linear_attn.";
  return {.in_proj_qkv = matrix(at + "in_proj_qkv.weight"),
          .in_proj_z = matrix(at + "in_proj_z.weight"),
          .in_proj_b = matrix(at + "in_proj_b.weight"),
          .in_proj_a = matrix(at + "in_proj_a.weight"),
          .conv1d = matrix(at + "conv1d.weight"),
          .dt_bias = vector(at + "dt_bias"),
          .a_log = vector(at + "A_log"),
          .norm = vector(at + "norm.weight"),
          .out_proj = matrix(at + "out_proj.weight")};
}

AttentionWeights WeightBinder::fullAttention(const std::string& prefix) {
  const std::string at = prefix + "self_attn.";
  return {.q_proj = matrix(at + "q_proj.weight"),
          .k_proj = matrix(at + "k_proj.weight"),
          .v_proj = matrix(at + "v_proj.weight"),
          .o_proj = matrix(at + "o_proj.weight"),
          .q_norm = vector(at + "q_norm.weight"),
          .k_norm = vector(at + "k_norm.weight")};
}

DecoderLayer WeightBinder::layer(std::size_t index) {
  const Config& config = checkpoint_.config();
  const std::string prefix = "layers." + std::to_string(index) + ".";
  DecoderLayer layer;
  layer.eps = config.rms_norm_eps;
  layer.input_layernorm = vector(prefix + "input_layernorm.weight");
  layer.post_attention_layernorm = vector(prefix + "post_attention_layernorm.weight");
  if (config.layers[index] == LayerKind::LinearAttention)
    layer.mixer = GatedDeltaNetLayer{config.linear_attention, linearAttention(prefix)};
  else
    layer.mixer = AttentionLayer{config.full_attention, fullAttention(prefix)};
  layer.mlp = {.gate_proj = matrix(prefix + "mlp.gate_proj.weight"),
               .up_proj = matrix(prefix + "mlp.up_proj.weight"),
               .down_proj = matrix(prefix + "mlp.down_proj.weight")};
  return layer;
}

}  // namespace qgpu::model
