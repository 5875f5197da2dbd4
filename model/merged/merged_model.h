// One model of two halves: text by the base model, launches by the machine in the circuit's layers.
// The base's files stay as they are on disk, the circuit's file stands beside them.
//
//   auto circuit = readCircuit("machine.safetensors");
//   auto model = MergedModel::open("Qwen3.5-2B", *circuit, {.threads = 2});
//   TextState text = (*model)->newState();
//   auto logits = (*model)->feed(prompt, text);                      // text before
//   Decoding run = (*model)->launch(protocol::hostTokens(image), 100'000);
//   globalMemory((*model)->machine())[3];                            // what the launch computed
//   logits = (*model)->feed(more, text);                             // text after
//
// ONE VOCABULARY. Ids 0 .. textTokens() - 1 are the base's, padding rows included; machine token t
// is textTokens() + t. Text never writes a machine token, nor a launch a text token.
//
// WHAT A LAUNCH LEAVES IN TEXT: nothing. A machine token runs through the circuit's layers and not
// through the base's: it takes no position, no place in the attention's cache, none in a
// convolution's window and no step of a recurrent state. Text after a launch has the bits that it
// would have with the launch cut out.
//
// WHAT TEXT LEAVES IN THE MACHINE: nothing. The circuit's layers are the identity for tokens
// without the constant BIG (model/weights/substrate.h), so text is not run through them.
// `skip_identity` turns that shortcut off: then text and machine tokens go through all 45 + n
// layers at the width that both need (stacked_model.h), with the same bits, for small base models.
//
// The machine's memory lasts from launch to launch, as a GPU's does; forgetLaunches() clears it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "interpreter/base/failure.h"
#include "interpreter/protocol/token.h"
#include "model/launch/decode.h"
#include "model/launch/machine_model.h"
#include "model/merged/stacked_model.h"
#include "model/qwen/generate.h"
#include "model/qwen/text_model.h"
#include "model/weights/circuit.h"

namespace qgpu::model {

class MergedModel {
 public:
  struct Options {
    Rounding rounding = Rounding::Bfloat16;
    int threads = 1;
    // Text does not run the circuit's layers. Off: `circuit` must be compiled for the base
    // (substrateFor in stock_form.h).
    bool skip_identity = true;
  };

  // Maps the base's folder. `circuit` must outlive the model; any width will do while text skips
  // its layers. Refused: what Checkpoint refuses, and with skip_identity off what StackedModel
  // does.
  static Expected<std::unique_ptr<MergedModel>> open(const std::filesystem::path& folder,
                                                     const Circuit& circuit,
                                                     const Options& options);

  // ---- The vocabulary ----
  const Config& config() const { return base_.config(); }
  std::size_t textTokens() const { return config().vocab_size; }
  std::size_t machineTokens() const { return circuit_.embedding.tokens(); }
  TokenId idOf(const protocol::Token& token) const {
    return static_cast<TokenId>(textTokens() + static_cast<std::size_t>(token.id()));
  }
  // Nothing for ids of text and beyond the vocabulary.
  std::optional<protocol::Token> machineToken(TokenId id) const;

  // ---- Text ----
  // A state is a value; a copy of it is a point to come back to. Launches are not part of it.
  TextState newState() const;
  // Appends tokens of text; the logits [textTokens()] after the last of them. Refused, with the
  // state unchanged: what TextModel::feed refuses, machine tokens among it.
  Expected<std::vector<float>> feed(std::span<const TokenId> tokens, TextState& text);
  // Feeds the prompt and writes text after it, as generate() of generate.h does.
  Expected<std::vector<TokenId>> generate(TextState& text, std::span<const TokenId> prompt,
                                          const GenerateOptions& options);

  // ---- Launches ----
  // Loads the host's tokens and lets the model write its own, until HALT or TRAP and at most `most`
  // of them. `observe` sees every token. Arrays are read from machine() afterwards.
  Decoding launch(std::span<const protocol::Token> host, std::int64_t most,
                  const Observer& observe = {});
  // The low bits, up to 32, that a row of one of the circuit's memories holds.
  std::uint32_t word(MemoryPlace place, int row, int bits) const;
  void forgetLaunches();

  // The halves. An engine that runs launches on machine() runs them in this model.
  TextModel& base() { return base_; }
  MachineModel& machine() { return machine_; }
  const Circuit& circuit() const { return circuit_; }

 private:
  MergedModel(TextModel base, const Circuit& circuit)
      : base_(std::move(base)), circuit_(circuit), machine_(circuit) {}

  TextModel base_;
  const Circuit& circuit_;
  MachineModel machine_;
  std::unique_ptr<StackedModel> stack_;  // only where nothing is skipped
};

}  // namespace qgpu::model
