#include "model/qwen/tensors.h"

namespace qgpu::model {
namespace {

void addLinearAttention(const Config& config, const std::string& layer,
                        std::vector<TensorSpec>& specs) {
  const GatedDeltaNetShape& s = config.linear_attention;
  const std::string at = layer + "linear_attn.";
  specs.push_back({at + "in_proj_qkv.weight", {s.convWidth(), s.hidden}});
  specs.push_back({at + "in_proj_z.weight", {s.valueWidth(), s.hidden}});
  specs.push_back({at + "in_proj_b.weight", {s.value_heads, s.hidden}});
  specs.push_back({at + "in_proj_a.weight", {s.value_heads, s.hidden}});
  specs.push_back({at + "conv1d.weight", {s.convWidth(), 1, s.conv_kernel}});
  specs.push_back({at + "dt_bias", {s.value_heads}});
  specs.push_back({at + "A_log", {s.value_heads}, true});
  specs.push_back({at + "norm.weight", {s.value_dim}, true});
  specs.push_back({at + "out_proj.weight", {s.hidden, s.valueWidth()}});
}

void addFullAttention(const Config& config, const std::string& layer,
                      std::vector<TensorSpec>& specs) {
  const AttentionShape& s = config.full_attention;
  const std::string at = layer + "self_attn.";
  specs.push_back({at + "q_proj.weight", {2 * s.query_heads * s.head_dim, s.hidden}});
  specs.push_back({at + "k_proj.weight", {s.key_heads * s.head_dim, s.hidden}});
  specs.push_back({at + "v_proj.weight", {s.key_heads * s.head_dim, s.hidden}});
  specs.push_back({at + "o_proj.weight", {s.hidden, s.query_heads * s.head_dim}});
  specs.push_back({at + "q_norm.weight", {s.head_dim}});
  specs.push_back({at + "k_norm.weight", {s.head_dim}});
}

}  // namespace

std::vector<TensorSpec> tensorsOf(const Config& config) {
  const std::size_t hidden = config.hidden_size;
  std::vector<TensorSpec> specs = {{"embed_tokens.weight", {config.vocab_size, hidden}}};
  for (std::size_t i = 0; i < config.layers.size(); ++i) {
    const std::string layer = "layers." + std::to_string(i) + ".";
    specs.push_back({layer + "input_layernorm.weight", {hidden}});
    if (config.layers[i] == LayerKind::LinearAttention)
      addLinearAttention(config, layer, specs);
    else
      addFullAttention(config, layer, specs);
    specs.push_back({layer + "post_attention_layernorm.weight", {hidden}});
    specs.push_back({layer + "mlp.gate_proj.weight", {config.intermediate_size, hidden}});
    specs.push_back({layer + "mlp.up_proj.weight", {config.intermediate_size, hidden}});
    specs.push_back({layer + "mlp.down_proj.weight", {hidden, config.intermediate_size}});
  }
  specs.push_back({"norm.weight", {hidden}});
  if (!config.tie_word_embeddings) specs.push_back({"lm_head.weight", {config.vocab_size, hidden}});
  return specs;
}

std::string storedName(std::string_view name, bool multimodal) {
  if (name == "lm_head.weight") return std::string(name);
  return (multimodal ? "model.language_model." : "model.") + std::string(name);
}

bool isIgnored(std::string_view stored_name, const Config& config) {
  return stored_name.starts_with("model.visual.") || stored_name.starts_with("mtp.") ||
         (config.tie_word_embeddings && stored_name == "lm_head.weight");
}

std::size_t parameterCount(const Config& config) {
  std::size_t count = 0;
  for (const TensorSpec& spec : tensorsOf(config)) {
    std::size_t size = 1;
    for (const std::size_t n : spec.shape) size *= n;
    count += size;
  }
  return count;
}

}  // namespace qgpu::model
