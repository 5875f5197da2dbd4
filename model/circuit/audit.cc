#include "model/circuit/audit.h"

#include <fmt/format.h>

namespace qgpu::model {

using protocol::Token;
using protocol::TokenKind;

void Auditor::expect(bool same, const std::string& what) {
  if (same) return;
  ++mismatches_;
  if (first_.empty()) first_ = fmt::format("position {}: {}", positions_, what);
}

void Auditor::follow(const Token& token, const MachineModel& model) {
  ++positions_;
  if (const auto expected = reference_.next(); expected && *expected != token) {
    expect(false,
           fmt::format("the model wrote {}, the interpreter {}", token.text(), expected->text()));
    return;
  }
  if (const auto ok = reference_.step(token); !ok) {
    expect(false, ok.error().message);
    return;
  }
  if (const auto next = reference_.next())
    expect(model.next() == *next, fmt::format("after {} comes {}", token.text(), next->text()));
  const bool all = token.kind == TokenKind::Exec || token.kind == TokenKind::Halt ||
                   token.kind == TokenKind::Trap;
  if (all || token.kind == TokenKind::Mem || token.kind == TokenKind::Param) compareMemory(model);
  if (reference_.state().exec.kind == TokenKind::Exec)
    compareWarp(model, reference_.state().exec.field[1]);
}

void Auditor::compareMemory(const MachineModel& model) {
  const machine::State& state = reference_.state();
  for (int row = 0; row < kMachine.global_rows; ++row)
    expect(model.globalWord(row) == state.global[row], fmt::format("global word {}", row));
  for (int row = 0; row < kMachine.shared_words; ++row)
    expect(model.sharedWord(row) == state.shared[row], fmt::format("shared word {}", row));
  for (int i = 0; i < kMachine.parameters; ++i)
    expect(model.parameterWord(i) == state.parameters[i], fmt::format("parameter {}", i));
}

void Auditor::compareWarp(const MachineModel& model, int w) {
  const machine::Warp& warp = reference_.state().warps[w];
  for (int r = 1; r < kMachine.registers; ++r)
    for (int l = 0; l < kMachine.lanes; ++l)
      expect(model.registerWord(w, r, l) == warp.reg(r)[l],
             fmt::format("warp {} r{} lane {}", w, r, l));
  for (int p = 0; p < kMachine.predicates; ++p)
    expect(model.predicateBits(w, p) == warp.predicates[p], fmt::format("warp {} p{}", w, p));
  for (int l = 0; l < kMachine.lanes; ++l)
    expect(model.laneKey(w, l) == warp.pc[l], fmt::format("warp {} lane {} PC", w, l));
}

}  // namespace qgpu::model
