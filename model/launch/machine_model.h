// The compiled machine as a language model: tokens in, the next token out, everything kept in the
// recurrent state. It knows nothing of programs, warps or memory.
//
//   MachineModel model(circuit);
//   for (Token t : host_tokens) model.feed(t);
//   while (auto next = model.next()) model.feed(*next);   // until HALT or TRAP; see decode.h
//   model.row("stage1.load.memory.global0", 1, 32);       // the first word of global memory
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interpreter/protocol/token.h"
#include "model/launch/circuit_layer.h"
#include "model/launch/residual.h"
#include "model/weights/circuit.h"

namespace qgpu::model {

class MachineModel {
 public:
  // `circuit` must outlive the model.
  explicit MachineModel(const Circuit& circuit, const Shortcuts& shortcuts = {});

  // One token through all layers.
  void feed(const protocol::Token& token);
  // The token of the largest logit, the first of equals. Nothing only where none was fed yet.
  std::optional<protocol::Token> next() const;
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

  const Circuit& circuit() const { return circuit_; }
  const std::vector<float>& residual() const { return residual_.x(); }
  const CircuitLayer& layer(std::size_t index) const { return layers_[index]; }

 private:
  struct Watch {
    const Probe* probe = nullptr;
    std::vector<float> seen;
  };

  void look(int step);
  std::optional<protocol::Token> bySign() const;
  protocol::Token byLogits() const;

  const Circuit& circuit_;
  Shortcuts shortcuts_;
  std::vector<CircuitLayer> layers_;
  Residual residual_;
  Workers workers_;
  bool fed_ = false;
  std::vector<std::int32_t> token_of_code_;  // -1: no token has it
  std::map<std::string, Watch> watches_;
  std::vector<std::vector<Watch*>> watches_at_;  // by step
};

}  // namespace qgpu::model
