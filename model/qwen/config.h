// The shape of a Qwen3.5 text model, from its config.json.
//
// Two nestings are read: the multimodal one (model_type "qwen3_5", the fields in "text_config") and
// the flat one of a text-only export (model_type "qwen3_5_text"). Every field that the forward pass
// needs must be there: the defaults of transformers' classes are not the values of the 2B model.
// What this engine does not compute (a bias, another activation, scaled rotary positions) is
// refused.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/base/failure.h"
#include "model/layers/attention.h"
#include "model/layers/gated_delta_net.h"
#include "model/text/token_id.h"

namespace qgpu::model {

enum class LayerKind : unsigned char { LinearAttention, FullAttention };

struct Config {
  std::size_t vocab_size = 0;  // rows of the embedding, padding rows included
  std::size_t hidden_size = 0;
  std::size_t intermediate_size = 0;
  std::size_t max_positions = 0;
  std::vector<LayerKind> layers;
  GatedDeltaNetShape linear_attention;
  AttentionShape full_attention;
  float rms_norm_eps = 0.0f;
  bool tie_word_embeddings = false;
  // The tokens that end a text, from config.json and generation_config.json; may be empty.
  std::vector<TokenId> end_tokens;
};

// Parses the text of a config.json; `file` names it in messages.
Expected<Config> parseConfig(std::string_view json, std::string_view file);

// FOLDER/config.json and, where it exists, FOLDER/generation_config.json.
Expected<Config> readConfig(const std::filesystem::path& folder);

// The config.json of a flat text-only model, for synthetic checkpoints and exports. What
// parseConfig reads back equals `config`.
std::string configJson(const Config& config);

}  // namespace qgpu::model
