#include "model/merged/stacked_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/layers/linear.h"
#include "model/layers/norm.h"

namespace qgpu::model {
namespace {

using protocol::Token;
using protocol::TokenKind;

constexpr std::size_t kRowsAtOnce = 64;

tl::unexpected<Failure> outOfRange(const TensorSpec& spec) {
  return refuse(fmt::format("{} holds a weight that the merged model's scale takes out of bfloat16",
                            spec.name));
}

TokenId firstOfLargest(std::span<const float> logits) {
  return static_cast<TokenId>(std::ranges::max_element(logits) - logits.begin());
}

}  // namespace

Expected<std::unique_ptr<StackedModel>> StackedModel::open(const std::filesystem::path& folder,
                                                           const Circuit& circuit,
                                                           const Options& options) {
  auto checkpoint = Checkpoint::open(folder);
  if (!checkpoint) return fail(checkpoint.error());
  std::unique_ptr<StackedModel> model(new StackedModel(std::move(*checkpoint), options));
  if (auto bound = model->bind(circuit); !bound) return fail(bound.error());
  return model;
}

// ---- Weights -----------------------------------------------------------------------------------

Expected<void> StackedModel::bind(const Circuit& circuit) {
  auto form = StockForm::create(checkpoint_, circuit);
  if (!form) return fail(form.error());
  form_ = std::move(*form);
  for (const LayerWeights& weights : circuit.layers)
    circuit_layers_.emplace_back(weights, circuit.substrate, Storage::Compressed);
  for (std::size_t i = circuit.layers.size(); i < form_->config().layers.size(); ++i)
    if (auto bound = bindBaseLayer(i); !bound) return bound;
  const std::size_t hidden = form_->config().hidden_size;
  const auto norm = vector({"norm.weight", {hidden}});
  const auto head = matrix({"lm_head.weight", {form_->config().vocab_size, hidden}});
  if (!norm || !head) return fail(norm ? head.error() : norm.error());
  norm_ = *norm;
  head_ = *head;
  return {};
}

Expected<WeightView> StackedModel::matrix(const TensorSpec& spec) {
  const std::size_t rows = spec.shape.front(), columns = spec.shape.back();
  std::vector<float> values(kRowsAtOnce * columns);
  std::vector<Entry> entries;
  for (std::size_t first = 0; first < rows; first += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, rows - first);
    const std::span<float> part(values.data(), count * columns);
    form_->fill(spec, first, count, part);
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i] == 0.0f) continue;
      if (!std::isfinite(part[i]) || !isBfloat16(part[i])) return outOfRange(spec);
      entries.push_back({static_cast<std::uint32_t>(first + i / columns),
                         static_cast<std::uint32_t>(i % columns), part[i]});
    }
  }
  const SparseMatrix& kept =
      *matrices_.emplace_back(std::make_unique<SparseMatrix>(rows, columns, std::move(entries)));
  const SparseMatrix::Compressed stored = kept.compressed();
  return WeightView(
      CompressedRows{stored.starts.data(), stored.column.data(), stored.values.data()}, rows,
      columns);
}

Expected<WeightView> StackedModel::vector(const TensorSpec& spec) {
  std::vector<float>& values =
      *vectors_.emplace_back(std::make_unique<std::vector<float>>(spec.shape[0]));
  form_->fill(spec, 0, spec.shape[0], values);
  if (options_.rounding == Rounding::Bfloat16)
    for (float& value : values) value = roundToBfloat16(value);
  return WeightView(std::span<const float>(values));
}

Expected<void> StackedModel::bindBaseLayer(std::size_t index) {
  const Config& config = form_->config();
  const std::string prefix = fmt::format("layers.{}.", index);
  std::map<std::string, WeightView> views;
  for (const TensorSpec& spec : tensorsOf(config)) {
    if (!spec.name.starts_with(prefix)) continue;
    // conv1d is [channels, 1, taps].
    const auto view = spec.shape.size() == 1 ? vector(spec) : matrix(spec);
    if (!view) return fail(view.error());
    views[spec.name.substr(prefix.size())] = *view;
  }
  DecoderLayer layer;
  layer.eps = config.rms_norm_eps;
  layer.input_layernorm = views["input_layernorm.weight"];
  layer.post_attention_layernorm = views["post_attention_layernorm.weight"];
  if (config.layers[index] == LayerKind::LinearAttention)
    layer.mixer = GatedDeltaNetLayer{config.linear_attention,
                                     {.in_proj_qkv = views["linear_attn.in_proj_qkv.weight"],
                                      .in_proj_z = views["linear_attn.in_proj_z.weight"],
                                      .in_proj_b = views["linear_attn.in_proj_b.weight"],
                                      .in_proj_a = views["linear_attn.in_proj_a.weight"],
                                      .conv1d = views["linear_attn.conv1d.weight"],
                                      .dt_bias = views["linear_attn.dt_bias"],
                                      .a_log = views["linear_attn.A_log"],
                                      .norm = views["linear_attn.norm.weight"],
                                      .out_proj = views["linear_attn.out_proj.weight"]}};
  else
    layer.mixer = AttentionLayer{config.full_attention,
                                 {.q_proj = views["self_attn.q_proj.weight"],
                                  .k_proj = views["self_attn.k_proj.weight"],
                                  .v_proj = views["self_attn.v_proj.weight"],
                                  .o_proj = views["self_attn.o_proj.weight"],
                                  .q_norm = views["self_attn.q_norm.weight"],
                                  .k_norm = views["self_attn.k_norm.weight"]}};
  layer.mlp = {.gate_proj = views["mlp.gate_proj.weight"],
               .up_proj = views["mlp.up_proj.weight"],
               .down_proj = views["mlp.down_proj.weight"]};
  base_layers_.push_back(layer);
  return {};
}

// ---- Tokens ------------------------------------------------------------------------------------

TextState StackedModel::newState() const {
  TextState state;
  for (const DecoderLayer& layer : base_layers_) state.layers.push_back(layer.newState());
  return state;
}

void StackedModel::run(std::span<const TokenId> ids, bool with_base, TextState& text) {
  const std::size_t hidden = form_->config().hidden_size;
  Activations x = activations(ids.size(), hidden);
  for (std::size_t t = 0; t < ids.size(); ++t)
    form_->fill({"embed_tokens.weight", {form_->config().vocab_size, hidden}}, ids[t], 1,
                row(x, t));
  withRounding(options_.rounding, [&]<Rounding kRounding>() {
    for (StockLayer& layer : circuit_layers_) {
      layer.addMixer<kRounding>(x, workers_);
      layer.addMlp<kRounding>(x, workers_);
    }
    for (std::size_t i = 0; with_base && i < base_layers_.size(); ++i)
      forward<kRounding>(base_layers_[i], x, text.position, text.layers[i], workers_);
  });
  if (with_base) text.position += ids.size();
  last_ = x.bottomRows(1);
}

std::vector<float> StackedModel::logits(std::size_t first, std::size_t count) {
  check(last_.rows() == 1, "logits come after a token");
  Activations normed, result;
  withRounding(options_.rounding, [&]<Rounding kRounding>() {
    rmsNorm<kRounding>(last_, norm_, form_->config().rms_norm_eps, normed);
    linear<kRounding>(head_.rowRange(first, count), normed, result, workers_);
  });
  return {result.data(), result.data() + result.size()};
}

Expected<std::vector<float>> StackedModel::feed(std::span<const TokenId> tokens, TextState& text) {
  if (tokens.empty()) return refuse("no token was given", "give at least one");
  for (const TokenId token : tokens)
    if (token >= form_->textTokens())
      return refuse(fmt::format("token {} is outside the base model's vocabulary", token));
  run(tokens, true, text);
  return logits(0, form_->textTokens());
}

Decoding StackedModel::launch(std::span<const Token> host, std::int64_t most, TextState& text,
                              const Observer& observe) {
  const std::size_t first = form_->textTokens();
  const auto feedMachine = [&](const Token& token) {
    const auto id = static_cast<TokenId>(first + static_cast<std::size_t>(token.id()));
    run({&id, 1}, options_.machine == Machine::AsStock, text);
    if (observe) observe(token);
  };
  for (const Token& token : host) feedMachine(token);
  Decoding run;
  while (!run.ended && static_cast<std::int64_t>(run.written.size()) < most) {
    const TokenId next = firstOfLargest(allLogits());
    check(next >= first, "after a token of the machine comes another");
    run.written.push_back(*Token::fromId(static_cast<int>(next - first)));
    feedMachine(run.written.back());
    const TokenKind kind = run.written.back().kind;
    run.ended = kind == TokenKind::Halt || kind == TokenKind::Trap;
  }
  return run;
}

std::uint32_t StackedModel::word(MemoryPlace place, int row, int bits) const {
  const auto& memory = circuit_layers_[static_cast<std::size_t>(place.layer)].state().recurrent;
  const std::size_t at =
      static_cast<std::size_t>(place.head * kHeadDim + row) * static_cast<std::size_t>(kHeadDim);
  std::uint32_t word = 0;
  for (int bit = 0; bit < bits; ++bit)
    if (memory[at + static_cast<std::size_t>(bit)] > 0.0f) word |= 1u << bit;
  return word;
}

}  // namespace qgpu::model
