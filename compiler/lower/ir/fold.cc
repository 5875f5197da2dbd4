#include "compiler/lower/ir/fold.h"

#include "compiler/lower/ir/fold_rules.h"
#include "interpreter/base/failure.h"

namespace qgpu::lower {

using isa::Opcode;
using isa::Unit;
using rules::Folded;

const Instruction* rules::asOperation(const Function& f, Id id, Opcode op) {
  const Instruction& i = f[id];
  if (!i.is(op) || i.hasMemory()) return nullptr;
  const bool guarded = i.row().guard == isa::GuardUse::Merge && !i.guard.isAlways();
  return guarded ? nullptr : &i;
}

std::optional<Value> foldConstants(Function& f, const Instruction& i) {
  if (!isPure(i) || i.row().unit == Unit::Divider) return std::nullopt;
  if (!i.guard.isConstant() || !i.second.isConstant()) return std::nullopt;
  for (const Id id : wordOperands(i))
    if (!f.isConstant(id)) return std::nullopt;
  if (keepsOld(i)) return Value{i.c, Predicate::never()};

  isa::WarpIn in;
  const auto fill = [&](isa::LaneWords& words, Id id) {
    if (id != kNone) words.fill(f[id].immediate);
  };
  fill(in.a, i.a);
  fill(in.b, i.b);
  fill(in.c, i.c);
  in.guard = i.guard.isAlways() ? kMachine.allLanes() : 0;
  in.second = i.second.isAlways() ? kMachine.allLanes() : 0;
  in.compare = i.compare;
  isa::WarpOut out;
  i.row().run(in, out);
  return Value{f.constant(out.r[0]), (out.p & 1) != 0 ? Predicate::always() : Predicate::never()};
}

namespace {

// A constant guard decides; a store that never happens is gone.
Folded applyGuard(Builder& b, Instruction& i) {
  using isa::GuardUse;
  const GuardUse use = i.row().guard;
  if (use != GuardUse::Merge && use != GuardUse::Commit) return std::nullopt;
  if (i.guard.isAlways() && use == GuardUse::Merge) i.c = kNone;
  if (!i.guard.isNever()) return std::nullopt;
  return Value{keepsOld(i) ? i.c : b.function().undefined(), Predicate::never()};
}

// Constants stand in b.
void sortOperands(const Function& f, Instruction& i) {
  switch (i.op) {
    case Opcode::Add:
    case Opcode::Addc:
    case Opcode::Mad:
    case Opcode::Madh:
    case Opcode::Madhu:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Min:
    case Opcode::Max:
    case Opcode::Minu:
    case Opcode::Maxu: break;
    default: return;
  }
  if (f.isConstant(i.a) && (!f.isConstant(i.b) || f[i.a].memory.object != kNoObject))
    std::swap(i.a, i.b);
}

Folded byUnit(Builder& b, Instruction& i) {
  switch (i.row().unit) {
    case Unit::Move: return rules::move(b, i);
    case Unit::Adder:
      if (i.op == Opcode::Setp) return rules::comparison(b, i);
      return i.op == Opcode::Add || i.op == Opcode::Addc ? rules::addition(b, i)
                                                         : rules::subtraction(b, i);
    case Unit::Multiplier: return rules::multiplication(b, i);
    case Unit::Logic: return rules::logic(b, i);
    case Unit::Shifter: return rules::shift(b, i);
    case Unit::Select: return rules::choice(b, i);
    case Unit::Predicate: return rules::predicateLogic(b, i);
    case Unit::Divider: return rules::division(b, i);
    case Unit::Lanes: return rules::vote(b, i);
    case Unit::Bits:
      if (i.op == Opcode::Prmt) return rules::permutation(b, i);
      return std::nullopt;
    case Unit::Load:
    case Unit::Store: bug("loads and stores have a memory operand");
  }
  bug("every unit is known");
}

}  // namespace

std::optional<Value> fold(Builder& b, Instruction& i) {
  if (!i.isOperation()) return std::nullopt;
  if (auto known = applyGuard(b, i)) return known;
  if (i.hasMemory()) {
    rules::address(b, i);
    return std::nullopt;
  }
  sortOperands(b.function(), i);
  const bool guarded = keepsOld(i);
  if (guarded && i.op != Opcode::Mov) return std::nullopt;
  // Addresses first: a sum of an address and a constant still points into its array.
  if (i.op != Opcode::Add && i.op != Opcode::Sub && !guarded)
    if (auto known = foldConstants(b.function(), i)) return known;
  if (auto known = byUnit(b, i)) return known;
  return guarded ? std::nullopt : foldConstants(b.function(), i);
}

}  // namespace qgpu::lower
