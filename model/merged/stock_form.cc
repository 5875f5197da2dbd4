#include "model/merged/stock_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "model/weights/layer_tensors.h"

namespace qgpu::model {
namespace {

constexpr float kMark = 0x1p-60f;       // of a text token's embedding
constexpr float kMarkLogit = -0x1p76f;  // on it, in the rows of the machine's tokens
constexpr float kShut = -256.0f;        // on BIG: 64 * -256 closes a sigmoid and a softplus
constexpr float kCircuitEps = 1e-6f;

// Which rows of a tensor of the base's are which rows of the merged model's.
enum class Rows : unsigned char { Same, Channels, Values, Heads };
enum class Scale : unsigned char { None, Reads, Writes };

struct Placed {
  std::string_view name;  // behind "layers.N."
  Rows rows;
  Scale scale;
};
// Everything but the two norms of the residual stream.
constexpr Placed kPlaced[] = {
    {"linear_attn.in_proj_qkv.weight", Rows::Channels, Scale::Reads},
    {"linear_attn.in_proj_z.weight", Rows::Values, Scale::Reads},
    {"linear_attn.in_proj_b.weight", Rows::Heads, Scale::Reads},
    {"linear_attn.in_proj_a.weight", Rows::Heads, Scale::Reads},
    {"linear_attn.conv1d.weight", Rows::Channels, Scale::None},
    {"linear_attn.dt_bias", Rows::Heads, Scale::None},
    {"linear_attn.A_log", Rows::Heads, Scale::None},
    {"linear_attn.norm.weight", Rows::Same, Scale::None},
    {"linear_attn.out_proj.weight", Rows::Same, Scale::Writes},
    {"self_attn.q_proj.weight", Rows::Same, Scale::Reads},
    {"self_attn.k_proj.weight", Rows::Same, Scale::Reads},
    {"self_attn.v_proj.weight", Rows::Same, Scale::Reads},
    {"self_attn.o_proj.weight", Rows::Same, Scale::Writes},
    {"self_attn.q_norm.weight", Rows::Same, Scale::None},
    {"self_attn.k_norm.weight", Rows::Same, Scale::None},
    {"mlp.gate_proj.weight", Rows::Same, Scale::Reads},
    {"mlp.up_proj.weight", Rows::Same, Scale::Reads},
    {"mlp.down_proj.weight", Rows::Same, Scale::Writes},
};

// The base's row that stands in `row`; nothing where that is a row of zeros. The merged model has
// one key head for each value head: a base's key head that serves several is repeated.
std::optional<std::size_t> sourceRow(Rows rows, std::size_t row, const GatedDeltaNetShape& base,
                                     std::size_t merged_heads) {
  const std::size_t in_part = row % (merged_heads * kHeadDim);
  const std::size_t part = row / (merged_heads * kHeadDim);
  const std::size_t head = in_part / kHeadDim, lane = in_part % kHeadDim;
  switch (rows) {
    case Rows::Same: return row;
    case Rows::Heads: return row < base.value_heads ? std::optional(row) : std::nullopt;
    case Rows::Values:
      if (head >= base.value_heads) return std::nullopt;
      return row;
    case Rows::Channels: {
      if (head >= base.value_heads) return std::nullopt;
      if (part == 2) return 2 * base.keyWidth() + in_part;
      const std::size_t key_head = head / (base.value_heads / base.key_heads);
      return part * base.keyWidth() + key_head * kHeadDim + lane;
    }
  }
  return std::nullopt;
}

float element(const Tensor& tensor, std::size_t index) {
  return tensor.dtype == DType::F32 ? tensor.as<float>()[index]
                                    : toFloat(tensor.as<bfloat16>()[index]);
}

std::size_t columnsOf(const TensorSpec& spec) {
  std::size_t columns = 1;
  for (std::size_t i = 1; i < spec.shape.size(); ++i) columns *= spec.shape[i];
  return columns;
}

Config mergedConfig(const Config& base, const Circuit& circuit) {
  const Substrate& s = circuit.substrate;
  Config merged = base;
  const auto heads = static_cast<std::size_t>(s.heads);
  merged.hidden_size = static_cast<std::size_t>(s.hidden);
  merged.intermediate_size = static_cast<std::size_t>(s.intermediate);
  merged.vocab_size = base.vocab_size + circuit.embedding.tokens();
  merged.tie_word_embeddings = false;
  merged.layers.insert(merged.layers.begin(), circuit.layers.size(), LayerKind::LinearAttention);
  merged.linear_attention = {.hidden = merged.hidden_size,
                             .key_heads = heads,
                             .value_heads = heads,
                             .key_dim = kHeadDim,
                             .value_dim = kHeadDim,
                             .conv_kernel = kConvTaps,
                             .eps = base.rms_norm_eps};
  merged.full_attention.hidden = merged.hidden_size;
  return merged;
}

std::string whyNot(const Config& base, const Substrate& s) {
  const GatedDeltaNetShape& linear = base.linear_attention;
  const bool has_linear = std::ranges::count(base.layers, LayerKind::LinearAttention) > 0;
  if (!std::has_single_bit(base.hidden_size)) return "its width is not a power of two";
  if (base.intermediate_size > static_cast<std::size_t>(s.intermediate))
    return fmt::format("its MLPs are {} wide, the circuit's {}", base.intermediate_size,
                       s.intermediate);
  if (base.rms_norm_eps != kCircuitEps) return "its rms_norm_eps is not 1e-6";
  if (!has_linear) return "";
  if (linear.key_dim != kHeadDim || linear.value_dim != kHeadDim)
    return "its linear heads are not 128 wide";
  if (linear.value_heads > static_cast<std::size_t>(s.heads))
    return fmt::format("it has {} linear value heads, the circuit {}", linear.value_heads, s.heads);
  if (linear.conv_kernel != kConvTaps) return "its convolutions do not have 4 taps";
  return "";
}

// Of a width that is a multiple of the other.
float rootOfQuotient(std::size_t wide, std::size_t narrow) {
  const std::size_t times = wide / narrow;
  return std::sqrt(static_cast<float>(times));
}

}  // namespace

Expected<Substrate> substrateFor(const Config& base) {
  Substrate substrate;
  if (const std::string reason = whyNot(base, substrate); !reason.empty())
    return refuse("the machine does not fit in front of this base model: " + reason,
                  "Qwen3.5-0.8B and -2B have shapes that it fits");
  const auto dims = static_cast<std::size_t>(substrate.dims);
  std::size_t hidden = base.hidden_size;
  while (hidden < base.hidden_size + dims) hidden *= 4;
  substrate.hidden = static_cast<int>(hidden);
  substrate.first_dim = static_cast<int>(base.hidden_size);
  return substrate;
}

// Where in a tensor, of which layer, a call of fill() is.
struct StockForm::Part {
  std::string_view name;  // behind "layers.N."
  std::size_t layer = 0;
  std::size_t first = 0, count = 0, columns = 0;

  std::span<float> row(std::span<float> out, std::size_t row) const {
    return out.subspan((row - first) * columns, columns);
  }
};

StockForm::StockForm(const Checkpoint& base, const Circuit& circuit)
    : base_(&base),
      circuit_(&circuit),
      config_(mergedConfig(base.config(), circuit)),
      constants_(circuit.substrate),
      scale_(rootOfQuotient(config_.hidden_size, base.config().hidden_size)) {}

Expected<StockForm> StockForm::create(const Checkpoint& base, const Circuit& circuit) {
  const auto substrate = substrateFor(base.config());
  if (!substrate) return fail(substrate.error());
  if (circuit.substrate != *substrate)
    return refuse("the circuit was compiled for another place than in front of this base model",
                  fmt::format("compile it for a width of {} from dim {} on", substrate->hidden,
                              substrate->first_dim));
  return StockForm(base, circuit);
}

void StockForm::fill(const TensorSpec& spec, std::size_t first, std::size_t count,
                     std::span<float> out) const {
  Part part{.name = spec.name, .first = first, .count = count, .columns = columnsOf(spec)};
  check(out.size() == count * part.columns && first + count <= spec.shape[0],
        "rows of a tensor fill what is given for them");
  std::ranges::fill(out, 0.0f);
  if (spec.name == "embed_tokens.weight") return fillEmbedding(part, out);
  if (spec.name == "lm_head.weight") return fillHead(part, out);
  if (spec.name == "norm.weight") return fillFinalNorm(part, out);
  part.name.remove_prefix(std::string_view("layers.").size());
  const std::size_t dot = part.name.find('.');
  part.layer = std::stoul(std::string(part.name.substr(0, dot)));
  part.name.remove_prefix(dot + 1);
  if (part.layer < circuitLayers()) return fillCircuit(part, out);
  part.layer -= circuitLayers();
  fillBase(part, out);
}

bool StockForm::isF32(const TensorSpec& spec) const {
  if (!spec.may_be_f32) return false;
  const std::size_t layer = std::stoul(spec.name.substr(std::string_view("layers.").size()));
  if (layer < circuitLayers()) return false;
  const std::string name = spec.name.substr(spec.name.find("linear_attn."));
  return base_->tensor(fmt::format("layers.{}.{}", layer - circuitLayers(), name)).dtype ==
         DType::F32;
}

// ---- The circuit's layers ----------------------------------------------------------------------

void StockForm::fillCircuit(const Part& part, std::span<float> out) const {
  const LayerWeights& weights = circuit_->layers[part.layer];
  const LayerTensors tensors(circuit_->substrate);
  for (const VectorTensor& vector : tensors.vectors)
    if (vector.name == part.name)
      for (std::size_t i = 0; i < part.count; ++i)
        out[i] = toFloat((weights.*vector.member)[part.first + i]);
  for (const MatrixTensor& matrix : tensors.matrices) {
    if (matrix.name != part.name) continue;
    const SparseMatrix& m = weights.*matrix.member;
    for (std::size_t r = part.first; r < part.first + part.count; ++r)
      for (std::size_t i = 0; i < m.rowColumns(r).size(); ++i)
        part.row(out, r)[m.rowColumns(r)[i]] = toFloat(m.rowValues(r)[i]);
  }
}

// ---- The base's layers -------------------------------------------------------------------------

void StockForm::fillBase(const Part& part, std::span<float> out) const {
  if (part.name == "input_layernorm.weight") return fillNorm(part, true, out);
  if (part.name == "post_attention_layernorm.weight") return fillNorm(part, false, out);
  fillMatrix(part, out);
  shut(part, out);
}

void StockForm::fillNorm(const Part& part, bool lets_big_through, std::span<float> out) const {
  const Tensor& gain = base_->tensor(fmt::format("layers.{}.{}", part.layer, part.name));
  const auto big = static_cast<std::size_t>(circuit_->substrate.first_dim);
  for (std::size_t i = 0; i < part.count; ++i) {
    const std::size_t dim = part.first + i;
    if (dim < gain.elementCount())
      out[i] = element(gain, dim);
    else if (!lets_big_through || dim < big || dim >= big + constants_.bigs)
      out[i] = -1.0f;
  }
}

void StockForm::fillMatrix(const Part& part, std::span<float> out) const {
  const Tensor& tensor = base_->tensor(fmt::format("layers.{}.{}", part.layer, part.name));
  const auto placed = std::ranges::find(kPlaced, part.name, &Placed::name);
  check(placed != std::end(kPlaced), "every tensor of a layer has its place");
  const std::size_t rows = tensor.shape[0];
  const std::size_t columns = tensor.elementCount() / rows;
  const float scale = placed->scale == Scale::Reads    ? 1.0f / scale_
                      : placed->scale == Scale::Writes ? scale_
                                                       : 1.0f;
  for (std::size_t r = part.first; r < part.first + part.count; ++r) {
    const auto source = sourceRow(placed->rows, r, base_->config().linear_attention,
                                  config_.linear_attention.value_heads);
    if (!source || *source >= rows) continue;
    for (std::size_t c = 0; c < columns; ++c)
      part.row(out, r)[c] = scale * element(tensor, *source * columns + c);
  }
}

void StockForm::shut(const Part& part, std::span<float> out) const {
  const bool linear_gate =
      part.name == "linear_attn.in_proj_a.weight" || part.name == "linear_attn.in_proj_b.weight";
  const std::size_t dim = config_.full_attention.head_dim;
  const auto first = static_cast<std::size_t>(circuit_->substrate.first_dim);
  for (std::size_t r = part.first; r < part.first + part.count; ++r) {
    const bool gate = part.name == "self_attn.q_proj.weight" && r % (2 * dim) >= dim;
    for (int i = 0; (gate || linear_gate) && i < constants_.bigs; ++i)
      part.row(out, r)[first + static_cast<std::size_t>(i)] = kShut;
  }
}

// ---- The vocabulary ----------------------------------------------------------------------------

void StockForm::fillEmbedding(const Part& part, std::span<float> out) const {
  const Tensor& base = base_->tensor("embed_tokens.weight");
  const std::size_t width = base_->config().hidden_size;
  for (std::size_t r = part.first; r < part.first + part.count; ++r) {
    const std::span<float> row = part.row(out, r);
    if (r < textTokens()) {
      for (std::size_t c = 0; c < width; ++c) row[c] = scale_ * element(base, r * width + c);
      row[static_cast<std::size_t>(constants_.text)] = kMark;
      continue;
    }
    for (const Entry& e : circuit_->embedding.constants) row[e.column] = e.value;
    for (const std::uint16_t dim : circuit_->embedding.ones(r - textTokens())) row[dim] = 1.0f;
  }
}

void StockForm::fillHead(const Part& part, std::span<float> out) const {
  const Tensor& base =
      base_->tensor(base_->config().tie_word_embeddings ? "embed_tokens.weight" : "lm_head.weight");
  const std::size_t width = base_->config().hidden_size;
  const Unembedding& head = circuit_->unembedding;
  for (std::size_t r = part.first; r < part.first + part.count; ++r) {
    const std::span<float> row = part.row(out, r);
    if (r < textTokens()) {
      for (std::size_t c = 0; c < width; ++c) row[c] = element(base, r * width + c) / scale_;
      continue;
    }
    const std::int32_t code = head.codes[r - textTokens()];
    for (std::size_t i = 0; i < head.dims.size() && code != Unembedding::kNever; ++i)
      row[head.dims[i]] = (code >> i & 1) != 0 ? head.scale : -head.scale;
    row[static_cast<std::size_t>(constants_.text)] = kMarkLogit;
  }
}

void StockForm::fillFinalNorm(const Part& part, std::span<float> out) const {
  const Tensor& gain = base_->tensor("norm.weight");
  for (std::size_t i = 0; i < part.count; ++i) {
    const std::size_t dim = part.first + i;
    out[i] =
        dim < gain.elementCount() ? element(gain, dim) : toFloat(circuit_->unembedding.norm[dim]);
  }
}

}  // namespace qgpu::model
