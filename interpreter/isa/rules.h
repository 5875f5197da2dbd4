// The rules a block must keep so that 45 layers can run it in one pass. The compiler keeps them;
// the loader refuses a program that does not.
//
//   for (const Violation& v : violations(program)) std::cerr << v.text();
//
// 1  A slot reads only results and predicates of earlier slots, and only such as are computed.
// 2  Fields that have no effect are 0, so that a program has one encoding: rd where the result is
// not
//    live, pd where the predicate is neither live nor kept by a guard, c without a guard, the scale
//    of a byte access, and whatever the instruction does not use.
// 3  At most one parameter word among a, b, c of a slot (one read port beside the base's).
// 4  At most one live result for a register and one live predicate for a predicate in a block.
// 5  At most one slot writes memory, and no later slot reads that space: reads see the memory as it
//    was before the block.
// 6  A replay instruction stands in a block marked replay, as the only one that touches memory by
//    writing, without shuffles or votes, and not in block 0. Only such blocks are marked replay.
// 7  A division stands alone: div or divu in slot 1, nop in 2, quo or nop in 3, rem or nop in 4.
// 8  Targets exist and are not block 0. Trap and Exit have no target; only a Branch has an other.
// 9  A failed guard keeps the old value only where c can hold it: Commit instructions take c as an
//    operand.
#pragma once

#include <string>
#include <vector>

#include "interpreter/isa/instruction.h"

namespace qgpu::isa {

struct Violation {
  int block = 0;
  int slot = -1;  // -1: the block as a whole
  std::string message;

  std::string text() const;  // "block 3, slot 2: MESSAGE"
};

std::vector<Violation> violations(const Block& block, int number, int blocks);
std::vector<Violation> violations(const Program& program);

}  // namespace qgpu::isa
