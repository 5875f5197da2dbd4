#include "model/qwen/text_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/layers/linear.h"
#include "model/layers/norm.h"
#include "model/qwen/bind.h"

namespace qgpu::model {
namespace {

// Tokens that go through a layer together: enough to share the reading of its weights, few enough
// for their activations to stay in the cache.
constexpr std::size_t kBlock = 32;

}  // namespace

Expected<TextModel> TextModel::open(const std::filesystem::path& folder, const Options& options) {
  auto checkpoint = Checkpoint::open(folder);
  if (!checkpoint) return fail(checkpoint.error());
  return create(std::move(*checkpoint), options);
}

Expected<TextModel> TextModel::create(Checkpoint checkpoint, const Options& options) {
  TextModel model;
  model.rounding_ = options.rounding;
  model.workers_ = std::make_unique<Workers>(options.threads);
  model.checkpoint_ = std::make_unique<Checkpoint>(std::move(checkpoint));
  WeightBinder binder(*model.checkpoint_, options.rounding, model.rounded_weights_);
  model.embedding_ = binder.matrix("embed_tokens.weight");
  model.norm_ = binder.vector("norm.weight");
  model.head_ =
      model.config().tie_word_embeddings ? model.embedding_ : binder.matrix("lm_head.weight");
  for (std::size_t i = 0; i < model.config().layers.size(); ++i)
    model.layers_.push_back(binder.layer(i));
  return model;
}

TextState TextModel::newState() const {
  TextState state;
  for (const DecoderLayer& layer : layers_) state.layers.push_back(layer.newState());
  return state;
}

Expected<void> TextModel::checkTokens(std::span<const TokenId> tokens,
                                      const TextState& state) const {
  check(state.layers.size() == layers_.size(), "a state is used with the model that made it");
  if (tokens.empty()) return refuse("no token was given", "give at least one");
  const auto unknown = std::find_if(tokens.begin(), tokens.end(),
                                    [&](TokenId token) { return token >= config().vocab_size; });
  if (unknown != tokens.end())
    return refuse(
        fmt::format("token {} is outside the vocabulary of {}", *unknown, config().vocab_size));
  if (tokens.size() > config().max_positions - std::min(state.position, config().max_positions))
    return refuse(
        fmt::format("the text is longer than the model's {} positions", config().max_positions),
        "shorten it");
  return {};
}

Activations TextModel::embed(std::span<const TokenId> tokens) const {
  Activations residual = activations(tokens.size(), config().hidden_size);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const std::span<float> to = row(residual, t);
    for (std::size_t j = 0; j < to.size(); ++j) to[j] = embedding_.at(tokens[t] * to.size() + j);
  }
  return residual;
}

Activations TextModel::runBlock(std::span<const TokenId> tokens, TextState& state,
                                const Observer& observer) {
  Activations residual = embed(tokens);
  if (observer) observer(0, residual);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    withRounding(rounding_, [&]<Rounding kRounding>() {
      forward<kRounding>(layers_[i], residual, state.position, state.layers[i], *workers_);
    });
    if (observer) observer(i + 1, residual);
  }
  state.position += tokens.size();
  return residual;
}

Activations TextModel::head(const Activations& residual) {
  Activations normed;
  Activations logits;
  withRounding(rounding_, [&]<Rounding kRounding>() {
    rmsNorm<kRounding>(residual, norm_, config().rms_norm_eps, normed);
    linear<kRounding>(head_, normed, logits, *workers_);
  });
  return logits;
}

Expected<std::vector<float>> TextModel::feed(std::span<const TokenId> tokens, TextState& state,
                                             const Observer& observer) {
  if (auto good = checkTokens(tokens, state); !good) return fail(good.error());
  Activations last = activations(1, config().hidden_size);
  for (std::size_t first = 0; first < tokens.size(); first += kBlock) {
    const auto block = tokens.subspan(first, std::min(kBlock, tokens.size() - first));
    last.row(0) = runBlock(block, state, observer).bottomRows(1);
  }
  const Activations logits = head(last);
  return std::vector<float>(logits.data(), logits.data() + logits.size());
}

Expected<Activations> TextModel::feedAll(std::span<const TokenId> tokens, TextState& state,
                                         const Observer& observer) {
  if (auto good = checkTokens(tokens, state); !good) return fail(good.error());
  Activations logits = activations(tokens.size(), config().vocab_size);
  for (std::size_t first = 0; first < tokens.size(); first += kBlock) {
    const auto block = tokens.subspan(first, std::min(kBlock, tokens.size() - first));
    logits.middleRows(static_cast<Eigen::Index>(first), static_cast<Eigen::Index>(block.size())) =
        head(runBlock(block, state, observer));
  }
  return logits;
}

}  // namespace qgpu::model
