// The compiled machine as a language model: tokens in, the next token out, everything kept in the
// recurrent state. It knows nothing of programs, warps or memory.
//
//   MachineModel model(circuit);
//   for (Token t : host_tokens) model.feed(t);
//   while (auto next = model.next()) model.feed(*next);   // until HALT or TRAP
//   model.globalWord(1);
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/circuit/machine/circuit.h"
#include "model/circuit/sparse_layer.h"

namespace qgpu::model {

// The rows of the recurrent state that hold one kind of the machine's state; see docs/machine.md.
class MachineModel {
 public:
  explicit MachineModel(const circuit::machine::Circuit& circuit);

  // One token through all layers.
  void feed(const protocol::Token& token);
  // The token whose code fits the last one's output best: that of the largest logit. Nothing only
  // where no token was fed yet.
  std::optional<protocol::Token> next() const;
  // Forgets everything.
  void reset();

  // ---- What the recurrent state holds. ----
  std::uint32_t globalWord(int row) const;
  std::uint32_t sharedWord(int row) const;
  std::uint32_t registerWord(int warp, int reg, int lane) const;
  std::uint32_t parameterWord(int index) const;
  std::uint32_t predicateBits(int warp, int predicate) const;
  int laneKey(int warp, int lane) const;

  const std::vector<float>& residual() const { return residual_.x; }

 private:
  struct Place {
    const SparseLayer* layer = nullptr;
    int head = 0;
  };
  Place place(const std::string& name) const;
  std::uint32_t word(const Place& place, int row, int bits) const;

  const circuit::machine::Circuit& circuit_;
  circuit::machine::TokenEmbedding embedding_;
  std::vector<SparseLayer> layers_;
  Residual residual_;
  bool fed_ = false;
  std::vector<std::int32_t> token_of_code_;  // -1: no token has it
};

}  // namespace qgpu::model
