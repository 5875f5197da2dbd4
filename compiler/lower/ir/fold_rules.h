// The rules of fold.h by the unit of the operation. Each returns an equal value, or nothing.
#pragma once

#include <optional>

#include "compiler/lower/ir/builder.h"

namespace qgpu::lower::rules {

using Folded = std::optional<Value>;

inline Folded word(Id id) { return Value{id, {}}; }
inline Folded flag(Predicate p) { return Value{kNone, p}; }

// The constant in `id`, if it is one.
inline std::optional<std::uint32_t> constantOf(const Function& f, Id id) {
  if (!f.isConstant(id)) return std::nullopt;
  return f[id].immediate;
}

// `id` as the unguarded operation `op` without a memory operand, or null.
const Instruction* asOperation(const Function& f, Id id, isa::Opcode op);

Folded addition(Builder& b, Instruction& i);
Folded subtraction(Builder& b, Instruction& i);
Folded multiplication(Builder& b, Instruction& i);
Folded division(Builder& b, Instruction& i);
Folded logic(Builder& b, Instruction& i);
Folded shift(Builder& b, Instruction& i);
Folded permutation(Builder& b, Instruction& i);
Folded choice(Builder& b, Instruction& i);  // min, max
Folded move(Builder& b, Instruction& i);    // the select
Folded comparison(Builder& b, Instruction& i);
Folded predicateLogic(Builder& b, Instruction& i);
Folded vote(Builder& b, Instruction& i);
void address(Builder& b, Instruction& i);

}  // namespace qgpu::lower::rules
