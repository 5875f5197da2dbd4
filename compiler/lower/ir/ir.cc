#include "compiler/lower/ir/ir.h"

#include <algorithm>

#include "interpreter/base/failure.h"

namespace qgpu::lower {
namespace {

bool takesDivision(const Instruction& i) {
  return i.op == isa::Opcode::Quo || i.op == isa::Opcode::Rem;
}

template <typename Instr, typename Push>
void eachWord(Instr& i, Push push) {
  if (!i.isOperation()) return;
  const isa::Row& row = i.row();
  if (row.a || takesDivision(i)) push(i.a);
  if (row.b && i.b != kNone) push(i.b);
  if (row.c || keepsOld(i)) push(i.c);
}

template <typename Instr, typename Push>
void eachFlag(Instr& i, Push push) {
  if (!i.isOperation()) return;
  if (!i.guard.isConstant()) push(i.guard);
  if (!i.second.isConstant()) push(i.second);
}

}  // namespace

std::vector<int> BasicBlock::successors() const {
  if (!hasTarget()) return {};
  if (conditional()) return {target, other};
  return {target};
}

std::size_t BasicBlock::predecessorIndex(int block) const {
  const auto at = std::find(predecessors.begin(), predecessors.end(), block);
  check(at != predecessors.end(), "an edge is in its target's list of predecessors");
  return static_cast<std::size_t>(at - predecessors.begin());
}

Id Function::add(Instruction instruction) {
  instructions.push_back(std::move(instruction));
  return static_cast<Id>(instructions.size() - 1);
}

Id Function::leaf(Instruction instruction) {
  const std::array<std::int64_t, 3> key = {static_cast<std::int64_t>(instruction.kind),
                                           instruction.immediate, instruction.memory.object};
  const auto [at, is_new] = leaves_.try_emplace(key, kNone);
  if (is_new) at->second = add(std::move(instruction));
  return at->second;
}

Id Function::constant(std::uint32_t value, int object) {
  return leaf({.kind = Kind::Constant, .memory = {.object = object}, .immediate = value});
}

Id Function::argument(ArgumentWord word) {
  const auto at = std::find(arguments.begin(), arguments.end(), word);
  const auto index = static_cast<std::uint32_t>(at - arguments.begin());
  if (at == arguments.end()) arguments.push_back(word);
  return leaf({.kind = Kind::Argument, .immediate = index});
}

Id Function::special(isa::Special special) {
  return leaf({.kind = Kind::Special, .immediate = static_cast<std::uint32_t>(special)});
}

Id Function::undefined() { return leaf({.kind = Kind::Undefined}); }

int Function::newBlock() {
  blocks.emplace_back();
  return static_cast<int>(blocks.size() - 1);
}

void Function::connect() {
  for (BasicBlock& block : blocks) block.predecessors.clear();
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (const int next : blocks[i].successors())
      blocks[next].predecessors.push_back(static_cast<int>(i));
}

bool writesMemory(const Instruction& i) { return i.isOperation() && i.row().writesMemory(); }

bool readsMemory(const Instruction& i) { return i.hasMemory() && i.row().readsMemory(); }

bool isAtomic(const Instruction& i) { return writesMemory(i) && i.row().result; }

bool takesTurns(const Instruction& i) {
  return writesMemory(i) && i.row().memory == isa::Memory::Replay;
}

bool isConvergent(const Instruction& i) { return i.row().unit == isa::Unit::Lanes; }

bool hasEffect(const Instruction& i) {
  return writesMemory(i) || (i.kind == Kind::Unsupported && i.aux != 0);
}

bool hasWord(const Instruction& i) { return i.row().result || i.row().unit == isa::Unit::Divider; }

bool hasFlag(const Instruction& i) {
  const auto use = i.row().predicate;
  if (use == isa::PredicateUse::Carry || use == isa::PredicateUse::Order)
    return i.compare != isa::Compare::Eq;
  return use != isa::PredicateUse::None;
}

bool keepsOld(const Instruction& i) {
  return i.row().guard == isa::GuardUse::Merge && i.row().result && !i.guard.isAlways();
}

OperandList<Id*> wordOperands(Instruction& i) {
  OperandList<Id*> list;
  eachWord(i, [&](Id& id) { list.push(&id); });
  return list;
}
OperandList<Id> wordOperands(const Instruction& i) {
  OperandList<Id> list;
  eachWord(i, [&](Id id) { list.push(id); });
  return list;
}
OperandList<Predicate*> flagOperands(Instruction& i) {
  OperandList<Predicate*> list;
  eachFlag(i, [&](Predicate& p) { list.push(&p); });
  return list;
}
OperandList<Predicate> flagOperands(const Instruction& i) {
  OperandList<Predicate> list;
  eachFlag(i, [&](Predicate p) { list.push(p); });
  return list;
}

bool isPure(const Instruction& i) { return i.isOperation() && !i.hasMemory() && !isConvergent(i); }

}  // namespace qgpu::lower
