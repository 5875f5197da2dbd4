// The Qwen3.5 text model: tokens in, logits out.
//
//   auto model = TextModel::open("Qwen3.5-2B", {.rounding = Rounding::Bfloat16, .threads = 2});
//   TextState state = model->newState();
//   auto logits = model->feed(prompt, state);         // Expected<std::vector<float>>, after the
//   last logits = model->feed({{next}}, state);            // one more token
//
// A state is a value: a copy of it is a point to come back to. It holds the recurrent state of the
// linear layers and the keys and values of the full ones. How a text is cut into calls of feed()
// never changes a bit of the result.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "interpreter/base/failure.h"
#include "model/layers/decoder_layer.h"
#include "model/layers/rounding.h"
#include "model/layers/workers.h"
#include "model/qwen/checkpoint.h"
#include "model/qwen/config.h"
#include "model/text/token_id.h"

namespace qgpu::model {

struct TextState {
  std::vector<LayerState> layers;
  std::size_t position = 0;  // tokens so far
  friend bool operator==(const TextState&, const TextState&) = default;
};

class TextModel {
 public:
  struct Options {
    Rounding rounding = Rounding::Bfloat16;
    int threads = 1;
  };
  // Sees the residual stream [tokens, hidden] of each block of tokens: after the embedding (layer
  // 0) and after every layer i (as i + 1).
  using Observer = std::function<void(std::size_t layer, const Activations& residual)>;

  // Maps the checkpoint; weights are read when they are used.
  static Expected<TextModel> open(const std::filesystem::path& folder, const Options& options);
  static Expected<TextModel> create(Checkpoint checkpoint, const Options& options);

  const Config& config() const { return checkpoint_->config(); }
  const Checkpoint& checkpoint() const { return *checkpoint_; }
  Rounding rounding() const { return rounding_; }
  const DecoderLayer& layer(std::size_t index) const { return layers_[index]; }
  TextState newState() const;

  // Appends tokens to the text and returns the logits [vocab_size] after the last of them. Refused,
  // with the state unchanged: no token, an id outside the vocabulary, a text longer than the
  // model's positions. One call at a time.
  Expected<std::vector<float>> feed(std::span<const TokenId> tokens, TextState& state,
                                    const Observer& observer = {});
  // The same with the logits after every token, [tokens, vocab_size].
  Expected<Activations> feedAll(std::span<const TokenId> tokens, TextState& state,
                                const Observer& observer = {});

 private:
  TextModel() = default;
  Expected<void> checkTokens(std::span<const TokenId> tokens, const TextState& state) const;
  // Runs at most kBlock tokens through all layers; returns the residual stream.
  Activations runBlock(std::span<const TokenId> tokens, TextState& state, const Observer& observer);
  Activations embed(std::span<const TokenId> tokens) const;
  Activations head(const Activations& residual);

  Rounding rounding_ = Rounding::Bfloat16;
  std::unique_ptr<Checkpoint> checkpoint_;
  std::unique_ptr<Workers> workers_;
  // The few vectors that are stored in F32 and rounded, as transformers does on loading.
  std::vector<std::unique_ptr<std::vector<bfloat16>>> rounded_weights_;
  WeightView embedding_;
  WeightView head_;
  WeightView norm_;
  std::vector<DecoderLayer> layers_;
};

}  // namespace qgpu::model
