// The merged model layer by layer, as its stock form says (stock_form.h): the circuit's layers,
// then the base's, one residual stream of width H, for text tokens and the machine's alike. Nothing
// is skipped but weights that are zero.
//
// It is what the engine of merged_model.h is held against, and with Machine::AsStock what a stock
// implementation computes from an exported checkpoint. Made for small base models: the base's
// layers are widened in memory, and a token takes the better part of a tenth of a second.
//
//   auto stack = StackedModel::open("tiny", circuit, {.rounding = Rounding::Float32});
//   TextState text = stack->newState();
//   auto logits = stack->feed(prompt, text);                    // [the base's vocabulary]
//   Decoding launch = stack->launch(host_tokens, 1000, text);
//   stack->word(circuit.memory("stage1.load.memory.global0"), 7, 32);
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/launch/decode.h"
#include "model/launch/stock_layer.h"
#include "model/merged/stock_form.h"
#include "model/qwen/text_model.h"

namespace qgpu::model {

class StackedModel {
 public:
  // Where a token of the machine goes after the circuit's layers.
  enum class Machine : unsigned char {
    Kept,     // nowhere: the base's layers never see it, and it takes no position
    AsStock,  // through the base's layers too, as any token
  };
  struct Options {
    Rounding rounding = Rounding::Bfloat16;
    int threads = 1;
    Machine machine = Machine::Kept;
  };

  // `circuit` must outlive the model. Refused: what Checkpoint and StockForm refuse.
  static Expected<std::unique_ptr<StackedModel>> open(const std::filesystem::path& folder,
                                                      const Circuit& circuit,
                                                      const Options& options);

  // What the base's layers remember. What the circuit's do is in the model.
  TextState newState() const;

  // As TextModel's: the logits of the base's vocabulary after the last token.
  Expected<std::vector<float>> feed(std::span<const TokenId> tokens, TextState& text);

  // The host's tokens, then the model's own until HALT or TRAP, at most `most` of them.
  Decoding launch(std::span<const protocol::Token> host, std::int64_t most, TextState& text,
                  const Observer& observe = {});

  // The logits of all tokens, text and machine, after the last token of either kind.
  std::vector<float> allLogits() { return logits(0, form_->config().vocab_size); }
  // The low bits that a row of one of the circuit's memories holds.
  std::uint32_t word(MemoryPlace place, int row, int bits) const;
  // Forgets what the circuit's layers remember.
  void forgetLaunches() {
    for (StockLayer& layer : circuit_layers_) layer.reset();
  }
  const StockForm& form() const { return *form_; }

 private:
  StackedModel(Checkpoint checkpoint, const Options& options)
      : options_(options), checkpoint_(std::move(checkpoint)), workers_(options.threads) {}
  Expected<void> bind(const Circuit& circuit);
  Expected<WeightView> matrix(const TensorSpec& spec);
  Expected<WeightView> vector(const TensorSpec& spec);
  Expected<void> bindBaseLayer(std::size_t layer);
  void run(std::span<const TokenId> ids, bool with_base, TextState& text);
  // Logits of rows [first, first + count) of lm_head after the last token.
  std::vector<float> logits(std::size_t first, std::size_t count);

  Options options_;
  Checkpoint checkpoint_;
  std::optional<StockForm> form_;
  Workers workers_;
  std::vector<std::unique_ptr<SparseMatrix>> matrices_;
  std::vector<std::unique_ptr<std::vector<float>>> vectors_;
  std::vector<StockLayer> circuit_layers_;
  std::vector<DecoderLayer> base_layers_;
  WeightView norm_, head_;
  Activations last_;  // the residual stream after the last token
};

}  // namespace qgpu::model
