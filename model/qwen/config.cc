#include "model/qwen/config.h"

#include <algorithm>
#include <cmath>

#include "interpreter/base/files.h"
#include "interpreter/base/json.h"

namespace qgpu::model {
namespace {

using nlohmann::json;

constexpr std::size_t kConfigLimit = 1u << 20;  // bytes
constexpr std::size_t kWidthLimit = 1u << 16;
constexpr std::size_t kVocabLimit = 1u << 22;
constexpr std::size_t kLayerLimit = 1024;
constexpr double kSmallestEpsilon = 1e-12f;  // a float, so that what was read can be written

// A field that may be left out but, where given, must have the one value that is computed here.
void expectIfGiven(JsonFields& fields, const json& object, std::string_view name,
                   const json& value) {
  if (object.contains(name) && object[std::string(name)] != value)
    fields.refuse(name, "has a value that is not supported", "only " + value.dump() + " is");
}

void readLinearAttention(JsonFields& fields, Config& config) {
  GatedDeltaNetShape& shape = config.linear_attention;
  shape.hidden = config.hidden_size;
  shape.eps = config.rms_norm_eps;
  shape.key_heads = fields.size("linear_num_key_heads", 1, 1024);
  shape.value_heads = fields.size("linear_num_value_heads", 1, 1024);
  shape.key_dim = fields.size("linear_key_head_dim", 1, 4096);
  shape.value_dim = fields.size("linear_value_head_dim", 1, 4096);
  shape.conv_kernel = fields.size("linear_conv_kernel_dim", 1, 64);
  if (!fields.failure() && shape.value_heads % shape.key_heads != 0)
    fields.refuse("linear_num_value_heads", "is not a multiple of linear_num_key_heads");
}

// As transformers cuts it.
std::size_t rotaryDim(std::size_t head_dim, double factor) {
  return static_cast<std::size_t>(static_cast<double>(head_dim) * factor);
}

// A factor that gives this many dimensions of the head: the quotient, or what comes after it where
// the product would be rounded down and cut to one dimension less.
double rotaryFactor(const AttentionShape& shape) {
  const double factor = static_cast<double>(shape.rotary_dim) / static_cast<double>(shape.head_dim);
  return rotaryDim(shape.head_dim, factor) == shape.rotary_dim ? factor
                                                               : std::nextafter(factor, 1.0);
}

void readRotary(JsonFields& fields, AttentionShape& shape) {
  JsonFields rotary = fields.fieldsOf("rope_parameters");
  shape.rope_theta = rotary.number("rope_theta", 1.0, 1e12);
  const double factor = rotary.number("partial_rotary_factor", 0.0, 1.0);
  if (rotary.string("rope_type") != "default")
    rotary.refuse("rope_type", "is not supported", "only \"default\" is");
  shape.rotary_dim = rotaryDim(shape.head_dim, factor);
  if (shape.rotary_dim % 2 != 0)
    rotary.refuse("partial_rotary_factor", "gives an odd number of dimensions");
  fields.absorb(rotary);
}

void readFullAttention(JsonFields& fields, const json& text, Config& config) {
  AttentionShape& shape = config.full_attention;
  shape.hidden = config.hidden_size;
  shape.eps = config.rms_norm_eps;
  shape.query_heads = fields.size("num_attention_heads", 1, 1024);
  shape.key_heads = fields.size("num_key_value_heads", 1, 1024);
  shape.head_dim = fields.size("head_dim", 1, 4096);
  if (!fields.failure() && shape.query_heads % shape.key_heads != 0)
    fields.refuse("num_attention_heads", "is not a multiple of num_key_value_heads");
  if (fields.boolean("attention_bias"))
    fields.refuse("attention_bias", "is true", "only models without it are supported");
  expectIfGiven(fields, text, "attn_output_gate", true);
  readRotary(fields, shape);
}

void readLayers(JsonFields& fields, Config& config) {
  const std::size_t count = fields.size("num_hidden_layers", 1, kLayerLimit);
  const json& types = fields.array("layer_types");
  if (!fields.failure() && types.size() != count)
    fields.refuse("layer_types", "does not have num_hidden_layers entries");
  for (const json& type : types) {
    if (type == "linear_attention")
      config.layers.push_back(LayerKind::LinearAttention);
    else if (type == "full_attention")
      config.layers.push_back(LayerKind::FullAttention);
    else
      return fields.refuse(
          "layer_types",
          "has an entry that is neither \"linear_attention\" nor \"full_attention\"");
  }
}

// eos_token_id: absent, null, one id or a list of them.
void readEndTokens(JsonFields& fields, const json& object, std::vector<TokenId>& tokens) {
  if (!object.contains("eos_token_id") || object["eos_token_id"].is_null()) return;
  const json& given = object["eos_token_id"];
  const json list = given.is_array() ? given : json::array({given});
  for (const json& id : list) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= kVocabLimit)
      return fields.refuse("eos_token_id", "is not a token id or a list of them");
    const auto token = id.get<TokenId>();
    if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.push_back(token);
  }
}

// Both levels of the multimodal nesting may say it; they must not disagree.
bool readTied(const json& top, const json& text, JsonFields& fields) {
  constexpr std::string_view kName = "tie_word_embeddings";
  if (!text.contains(kName) && top.contains(kName) && top[std::string(kName)].is_boolean())
    return top[std::string(kName)].get<bool>();
  const bool tied = fields.boolean(kName);
  if (!fields.failure() && top.contains(kName) && top[std::string(kName)] != json(tied))
    fields.refuse(kName, "differs from the one outside text_config");
  return tied;
}

}  // namespace

Expected<Config> parseConfig(std::string_view text, std::string_view file) {
  const auto document = parseJson(text, file);
  if (!document) return fail(document.error());
  JsonFields top(*document, file);
  const std::string type = top.string("model_type");
  const bool nested = type == "qwen3_5";
  if (!nested && type != "qwen3_5_text")
    top.refuse("model_type", "is \"" + type + "\"", "give a Qwen3.5 model");
  const json& body = nested ? top.object("text_config") : *document;
  if (top.failure()) return fail(*top.failure());

  JsonFields fields(body, file, nested ? "text_config" : "");
  Config config;
  config.vocab_size = fields.size("vocab_size", 1, kVocabLimit);
  config.hidden_size = fields.size("hidden_size", 1, kWidthLimit);
  config.intermediate_size = fields.size("intermediate_size", 1, 4 * kWidthLimit);
  config.max_positions = fields.size("max_position_embeddings", 1, std::size_t{1} << 24);
  config.rms_norm_eps = static_cast<float>(fields.number("rms_norm_eps", kSmallestEpsilon, 1.0));
  if (fields.string("hidden_act") != "silu")
    fields.refuse("hidden_act", "is not supported", "only \"silu\" is");
  expectIfGiven(fields, body, "mamba_ssm_dtype", "float32");
  readLayers(fields, config);
  readLinearAttention(fields, config);
  readFullAttention(fields, body, config);
  config.tie_word_embeddings = readTied(*document, body, fields);
  readEndTokens(fields, body, config.end_tokens);
  if (fields.failure()) return fail(*fields.failure());
  return config;
}

Expected<Config> readConfig(const std::filesystem::path& folder) {
  const std::filesystem::path main = folder / "config.json";
  const auto text = readFile(main, kConfigLimit);
  if (!text) return fail(text.error());
  auto config = parseConfig(*text, main.string());
  const std::filesystem::path generation = folder / "generation_config.json";
  std::error_code ignored;
  if (!config || !std::filesystem::exists(generation, ignored)) return config;

  const auto generation_text = readFile(generation, kConfigLimit);
  if (!generation_text) return fail(generation_text.error());
  const auto document = parseJson(*generation_text, generation.string());
  if (!document) return fail(document.error());
  JsonFields fields(*document, generation.string());
  if (!fields.failure()) readEndTokens(fields, *document, config->end_tokens);
  if (fields.failure()) return fail(*fields.failure());
  return config;
}

std::string configJson(const Config& config) {
  const GatedDeltaNetShape& linear = config.linear_attention;
  const AttentionShape& full = config.full_attention;
  json types = json::array();
  for (const LayerKind kind : config.layers)
    types.push_back(kind == LayerKind::FullAttention ? "full_attention" : "linear_attention");
  const json document = {
      {"architectures", {"Qwen3_5ForCausalLM"}},
      {"model_type", "qwen3_5_text"},
      {"dtype", "bfloat16"},
      {"vocab_size", config.vocab_size},
      {"hidden_size", config.hidden_size},
      {"intermediate_size", config.intermediate_size},
      {"num_hidden_layers", config.layers.size()},
      {"layer_types", types},
      {"max_position_embeddings", config.max_positions},
      {"rms_norm_eps", config.rms_norm_eps},
      {"hidden_act", "silu"},
      {"attention_bias", false},
      {"num_attention_heads", full.query_heads},
      {"num_key_value_heads", full.key_heads},
      {"head_dim", full.head_dim},
      {"rope_parameters",
       {{"rope_type", "default"},
        {"rope_theta", full.rope_theta},
        {"partial_rotary_factor", rotaryFactor(full)}}},
      {"linear_num_key_heads", linear.key_heads},
      {"linear_num_value_heads", linear.value_heads},
      {"linear_key_head_dim", linear.key_dim},
      {"linear_value_head_dim", linear.value_dim},
      {"linear_conv_kernel_dim", linear.conv_kernel},
      {"tie_word_embeddings", config.tie_word_embeddings},
      {"eos_token_id", config.end_tokens.empty() ? json() : json(config.end_tokens)}};
  return document.dump(2) + "\n";
}

}  // namespace qgpu::model
