// How the constants and arguments of an operation fit into a slot: one immediate of 16 bits, shared
// by the operands and the memory offset, one parameter word among the operands, and one more as the
// memory operand's base.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/lower/ir/ir.h"

namespace qgpu::lower {

// A word that a launch passes: a constant, or an argument by its number in Function::arguments.
struct PassedWord {
  bool is_constant = true;
  std::uint32_t value = 0;
  friend auto operator<=>(const PassedWord&, const PassedWord&) = default;
};

struct OperandPlan {
  std::optional<std::uint32_t> immediate;  // the value the field stands for, sign-extended
  std::optional<PassedWord> parameter;     // among the operands
  std::optional<PassedWord> base;          // of the memory operand; absent: the immediate
};

// Nothing if the operation does not fit one slot.
std::optional<OperandPlan> planOperands(const Function& f, const Instruction& i);

// Moves constants and arguments into slots of their own where they do not fit, and gives constant
// predicates that no slot can name an operation. Afterwards every operation has a plan.
void legalise(Function& f);

}  // namespace qgpu::lower
