// Wrong meanings of the instructions, each what a slip in its row might make of it: operands
// exchanged, a constant off by one, signed for unsigned, a carry dropped, the neighbour lane. A
// test that cannot tell one of them from the right meaning does not test that instruction.
//
//   for (const Mutant& m : clauseMutants())
//     EXPECT_TRUE(clauseDisagreement(m.op, m.meaning())) << m.text();
//
// None of them means the same as the instruction: what would be the same, such as an addition with
// its operands exchanged, is not made.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "interpreter/testing/plain_clauses.h"

namespace qgpu::isatest {

enum class MutantFamily : std::uint8_t {
  Operand,      // an operand is changed, dropped or exchanged with another
  Result,       // the result or the predicate is changed
  Input,        // a guard, vote or carry that is data is negated or dropped
  Comparison,   // one comparison read as another
  Instruction,  // another instruction of the same unit
  Edge,         // what happens at a boundary: shifts by 32, division by zero, wrong lanes
  Kind,         // what the row says beside its clause: results, guards, memory
};
inline constexpr int kMutantFamilies = 7;
std::string_view nameOf(MutantFamily family);

struct Mutant {
  isa::Opcode op = isa::Opcode::Nop;
  MutantFamily family = MutantFamily::Operand;
  std::string what;  // "a + 1 for a"
  // Of `op` alone; a Kind mutant has no `compute` and the others no `kind`.
  std::function<PlainWarpOut(const PlainWarpIn&)> compute{};
  std::function<void(PlainKind&)> kind{};
  // Whether valid programs can show it. Not so where only the row says it: no program reads a
  // result that is not there; and a division is stated by its quotient and remainder.
  bool in_programs = true;

  // The plain meaning of all instructions but this one.
  Meaning meaning() const;
  std::string text() const;  // "add: a + 1 for a"
};

// All of them, in the order of the opcodes.
std::vector<Mutant> clauseMutants();

}  // namespace qgpu::isatest
