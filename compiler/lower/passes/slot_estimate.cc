#include "compiler/lower/passes/slot_estimate.h"

#include <map>

namespace qgpu::lower {
namespace {

using isa::Opcode;

// Whether an operation that reads `operand` once may take it in: a load as its memory operand, a
// product into a sum.
bool mayTakeIn(const Function& f, const Instruction& user, const Instruction& operand) {
  if (user.hasMemory()) return false;
  const bool sums = user.is(Opcode::Add) || user.is(Opcode::Sub);
  if (operand.is(Opcode::Mad) && sums) return f.isConstant(operand.c, 0);
  if (operand.is(Opcode::Shl) && sums) return f.isConstant(operand.b);
  if (!operand.is(Opcode::Mov) || !operand.hasMemory()) return false;
  return user.row().memory == isa::Memory::Optional && user.op != Opcode::Mov;
}

}  // namespace

double estimateSlots(const Function& f, int block) {
  const std::vector<Id>& body = f.blocks[block].body;
  std::map<Id, int> reads;
  for (const Id id : body)
    for (const Id operand : wordOperands(f[id])) ++reads[operand];
  double slots = 0;
  for (const Id id : body) {
    const Instruction& i = f[id];
    slots += i.row().unit == isa::Unit::Divider ? kMachine.slots / 2.0 : 1;
    bool full = false;
    for (const Id operand : wordOperands(i)) {
      if (full || reads[operand] != 1 || !f[operand].isOperation()) continue;
      if (!mayTakeIn(f, i, f[operand])) continue;
      full = true;
      slots -= 1;
    }
  }
  return slots;
}

}  // namespace qgpu::lower
