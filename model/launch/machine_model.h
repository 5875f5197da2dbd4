// The compiled machine as a language model: tokens in, the next token out, everything kept in the
// recurrent state. It knows nothing of programs, warps or memory.
//
//   MachineModel model(circuit);
//   for (Token t : host_tokens) model.feed(t);
//   while (auto next = model.next()) model.feed(*next);   // until HALT or TRAP; see decode.h
//   model.row("stage1.load.memory.global0", 1, 32);       // the first word of global memory
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interpreter/protocol/token.h"
#include "model/launch/batch_residual.h"
#include "model/launch/circuit_layer.h"
#include "model/launch/code_book.h"
#include "model/launch/residual.h"
#include "model/weights/circuit.h"

namespace qgpu::model {

// Up to kBatch tokens on their way through the layers: bit by bit, or one by one where a layer
// needs that.
struct Batch {
  explicit Batch(const Substrate& substrate) : bits(static_cast<std::size_t>(substrate.hidden)) {}

  std::size_t size = 0;
  bool is_bits = false;  // else the positions are in `columns`
  int one_by_one = 0;    // half-layers, since begin(), that were not passed bit by bit
  BatchResidual bits;
  std::vector<Residual> columns;  // made when first needed

  // What the probes showed at each position, and where it was bits.
  struct Seen {
    std::array<std::uint32_t, kBatch> value{};
    Lanes is_bits;
  };
  std::vector<Seen> seen;
};

class MachineModel {
 public:
  // `circuit` must outlive the model.
  explicit MachineModel(const Circuit& circuit, const Shortcuts& shortcuts = {});

  // One token through all layers.
  void feed(const protocol::Token& token);
  // The token of the largest logit, the first of equals. Nothing only where none was fed yet.
  std::optional<protocol::Token> next() const;

  // Tokens that are known already, with the bits of feed() one by one. Returns what the model would
  // write after each of them.
  std::vector<protocol::Token> prefill(std::span<const protocol::Token> tokens);

  // prefill() in pieces, for who has several batches in the layers at once: a batch passes all
  // layers in order, and a layer all batches in order. Different layers may run at the same time.
  void begin(Batch& batch, std::span<const protocol::Token> tokens) const;
  void run(Batch& batch, std::size_t first_layer, std::size_t end_layer);
  std::vector<protocol::Token> next(Batch& batch) const;
  // Forgets everything.
  void reset();

  // A handle on one of the circuit's memories.
  MemoryPlace memory(const std::string& name) const { return circuit_.memory(name); }
  // The low `bits` bits that a memory's row holds.
  std::uint32_t row(MemoryPlace place, int row, int bits) const;
  std::uint32_t row(const std::string& name, int row, int bits) const {
    return this->row(memory(name), row, bits);
  }

  // Keeps what the circuit's probes show from now on.
  void watchProbes();
  // What a probe showed of the last token; a dim that is no bit there makes it nothing.
  std::optional<std::uint32_t> probed(const std::string& name) const;
  // The same of a position of a batch, which has passed all layers.
  std::size_t probe(const std::string& name) const;
  std::optional<std::uint32_t> probed(const Batch& batch, std::size_t probe,
                                      std::size_t position) const;

  const Circuit& circuit() const { return circuit_; }
  const std::vector<float>& residual() const { return residual_.x(); }
  const CircuitLayer& layer(std::size_t index) const { return layers_[index]; }

 private:
  struct Watch {
    std::string name;
    const Probe* probe = nullptr;
    std::vector<float> seen;
  };

  void look(std::size_t step);
  void look(Batch& batch, std::size_t step) const;
  protocol::Token next(const Residual& residual) const;
  std::optional<protocol::Token> bySign(const Residual& residual) const;
  std::vector<std::int32_t> codesBySign(BatchResidual& bits) const;
  template <typename Half>
  void runHalf(Batch& batch, Half half);

  const Circuit& circuit_;
  Shortcuts shortcuts_;
  std::vector<CircuitLayer> layers_;
  Residual residual_;
  bool fed_ = false;
  CodeBook codes_;
  std::vector<Watch> watches_;                        // ordered by name
  std::vector<std::vector<std::size_t>> watches_at_;  // by step
  std::unique_ptr<Batch> batch_;                      // of prefill(); made when first needed
};

}  // namespace qgpu::model
