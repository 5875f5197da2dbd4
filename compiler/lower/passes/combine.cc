// Two instructions as one, where the first serves the second alone and both stand in one basic
// block:
//
//   mul, add -> mad        shl, add -> mad          op, select -> op under a guard
//   sub, setp -> sub with a comparison              select of 0, add -> add under a guard
#include <algorithm>
#include <map>

#include "compiler/lower/blocks/dependences.h"
#include "compiler/lower/ir/builder.h"
#include "compiler/lower/ir/flow.h"
#include "compiler/lower/ir/rewrite.h"
#include "compiler/lower/passes/passes.h"

namespace qgpu::lower {
namespace {

using isa::Compare;
using isa::GuardUse;
using isa::Opcode;

class Combiner {
 public:
  explicit Combiner(Function& f) : f_(f), uses_(f), aliases_(f) {}

  void run() {
    for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
      block_ = static_cast<int>(b);
      auto& body = f_.blocks[b].body;
      position_.assign(f_.instructions.size(), -1);
      for (std::size_t n = 0; n < body.size(); ++n) position_[body[n]] = static_cast<int>(n);
      gone_.assign(body.size(), false);
      for (at_ = 0; at_ < body.size(); ++at_)
        while (!gone_[at_] && step(f_[body[at_]])) {
        }
      sweep(body);
    }
    aliases_.applyAll(f_);
  }

 private:
  bool step(Instruction& i) {
    if (!i.isOperation() || i.cluster != 0) return false;
    switch (i.op) {
      case Opcode::Add: return sumOfProduct(i) || sumOfSelect(i);
      case Opcode::Sub: return differenceOfProduct(i) || sumOfSelect(i);
      case Opcode::Or:
      case Opcode::Xor: return sumOfSelect(i);
      case Opcode::And: return andOfComplement(i);
      case Opcode::Mov: return selectOfOperation(i);
      case Opcode::Setp: return comparisonOfDifference(i);
      default: return false;
    }
  }

  bool standsHere(Id id) const {
    return id < position_.size() && position_[id] >= 0 && !gone_[position_[id]];
  }

  // The operation behind `id`, if it stands in this block, is unguarded and serves nobody else.
  Instruction* soleServant(Id id) {
    if (!standsHere(id)) return nullptr;
    Instruction& i = f_[id];
    if (!i.isOperation() || i.cluster != 0 || uses_.words[id] != 1 || uses_.flags[id] != 0)
      return nullptr;
    const bool guarded = i.row().guard <= GuardUse::Commit && !i.guard.isAlways();
    return guarded || writesMemory(i) || isConvergent(i) ? nullptr : &i;
  }
  Instruction* soleServant(Id id, Opcode op) {
    Instruction* i = soleServant(id);
    return i != nullptr && i->op == op && !i->hasMemory() ? i : nullptr;
  }

  void remove(Id id) { gone_[position_[id]] = true; }
  bool isPlain(const Instruction& i) const {
    return i.guard.isAlways() && !i.hasMemory() && i.compare == Compare::Eq;
  }
  std::optional<std::uint32_t> constantOf(Id id) const {
    if (!f_.isConstant(id)) return std::nullopt;
    return f_[id].immediate;
  }

  // A product, or a shift by a constant, without an addend.
  struct Product {
    Opcode op = Opcode::Mad;
    Id a = kNone, b = kNone;
  };
  std::optional<Product> soleProduct(Id id) {
    Instruction* i = soleServant(id);
    if (i == nullptr || i->hasMemory()) return std::nullopt;
    if (i->row().unit == isa::Unit::Multiplier && f_.isConstant(i->c, 0))
      return Product{i->op, i->a, i->b};
    const auto n = i->op == Opcode::Shl ? constantOf(i->b) : std::nullopt;
    if (!n || *n > 14) return std::nullopt;
    return Product{Opcode::Mad, i->a, f_.constant(1u << *n)};
  }

  bool sumOfProduct(Instruction& i) {
    if (!isPlain(i)) return false;
    for (const bool second : {true, false}) {
      const Id product = second ? i.b : i.a, rest = second ? i.a : i.b;
      const auto p = soleProduct(product);
      if (!p) continue;
      remove(product);
      i.op = p->op;
      i.a = p->a;
      i.b = p->b;
      i.c = rest;
      return true;
    }
    return false;
  }

  // x - a * constant
  bool differenceOfProduct(Instruction& i) {
    if (!isPlain(i)) return false;
    const auto p = soleProduct(i.b);
    if (!p || p->op != Opcode::Mad || !f_.isConstant(p->b)) return false;
    const Id product = i.b;
    remove(product);
    i.op = Opcode::Mad;
    i.c = i.a;
    i.a = p->a;
    i.b = f_.constant(0u - f_[p->b].immediate);
    return true;
  }

  Id id() const { return f_.blocks[block_].body[at_]; }

  // x + (p ? y : 0), with the sum as it was where p fails.
  bool sumOfSelect(Instruction& i) {
    if (!isPlain(i)) return false;
    for (const bool second : {true, false}) {
      if (!second && i.op == Opcode::Sub) continue;
      const Id choice = second ? i.b : i.a, rest = second ? i.a : i.b;
      if (!standsHere(choice)) continue;
      const Instruction& select = f_[choice];
      if (!select.is(Opcode::Mov) || select.hasMemory() || select.guard.isConstant()) continue;
      if (uses_.words[choice] != 1 || select.cluster != 0) continue;
      const bool when_true = f_.isConstant(select.c, 0), when_false = f_.isConstant(select.b, 0);
      if (!when_true && !when_false) continue;
      remove(choice);
      i.a = rest;
      i.b = when_true ? select.b : select.c;
      i.guard = when_true ? select.guard : !select.guard;
      i.c = rest;
      return true;
    }
    return false;
  }

  // x & ~y
  bool andOfComplement(Instruction& i) {
    if (!isPlain(i)) return false;
    for (const bool second : {true, false}) {
      const Id complement = second ? i.b : i.a, rest = second ? i.a : i.b;
      Instruction* x = soleServant(complement, Opcode::Xor);
      if (x == nullptr || !f_.isConstant(x->b, ~0u)) continue;
      const Id inner = x->a;
      remove(complement);
      i.op = Opcode::Andn;
      i.a = rest;
      i.b = inner;
      return true;
    }
    return false;
  }

  // A select takes the place of the operation it selects: op under its guard, else the other value.
  bool selectOfOperation(Instruction& i) {
    if (i.hasMemory() || i.guard.isAlways()) return false;
    return takeIn(i, i.b, i.c, i.guard) || takeIn(i, i.c, i.b, !i.guard);
  }

  bool takeIn(Instruction& i, Id chosen, Id other, Predicate guard) {
    if (!standsHere(chosen)) return false;
    const Instruction& op = f_[chosen];
    if (!op.isOperation() || op.row().guard != GuardUse::Merge) return false;
    if (op.cluster != 0 || uses_.words[chosen] != 1 || uses_.flags[chosen] != 0) return false;
    if (isConvergent(op)) return false;
    // Its own guard may only be the same one, over a value that does not matter.
    if (!op.guard.isAlways() && (op.guard != guard || !f_.isUndefined(op.c))) return false;
    if (op.hasMemory() && !canMoveDown(op, position_[chosen])) return false;
    if (hasFlag(op) && op.op != Opcode::Sub) return false;
    const std::uint32_t origin = op.origin;
    i = op;
    i.origin = origin;
    i.guard = guard;
    i.c = other;
    remove(chosen);
    return true;
  }

  // Whether a load may take place here and not where it stands: nothing in between writes there.
  bool canMoveDown(const Instruction& load, int from) const {
    if (load.memory.is_volatile) return false;
    const auto& body = f_.blocks[block_].body;
    for (std::size_t n = static_cast<std::size_t>(from) + 1; n < at_; ++n)
      if (!gone_[n] && writesMemory(f_[body[n]]) && mustKeepOrder(f_, load, f_[body[n]]))
        return false;
    return true;
  }

  // A comparison of what a subtraction subtracts, or of its result with 0.
  bool comparisonOfDifference(Instruction& i) {
    if (!i.guard.isAlways()) return false;
    Id difference = kNone;
    if (i.compare == Compare::Eq && constantOf(i.b) == 0u) difference = differenceBehind(i.a);
    if (difference == kNone) difference = differenceOf(i.a, i.b);
    if (difference == kNone) return false;
    Instruction& d = f_[difference];
    d.compare = i.compare;
    aliases_.set(id(), Predicate{difference});
    uses_.flags[difference] += uses_.flags[id()];
    remove(id());
    return true;
  }

  bool mayCompare(Id candidate) const {
    if (!standsHere(candidate)) return false;
    const Instruction& i = f_[candidate];
    return i.cluster == 0 && !i.hasMemory() && i.guard.isAlways() && uses_.flags[candidate] == 0;
  }

  // x as a difference u - v, so that x == 0 is u == v: u + constant is u - (-constant).
  Id differenceBehind(Id x) {
    if (!mayCompare(x)) return kNone;
    Instruction& i = f_[x];
    if (i.is(Opcode::Sub)) return x;
    if (!i.is(Opcode::Add) || !f_.isConstant(i.b) || i.compare != Compare::Eq) return kNone;
    i.op = Opcode::Sub;
    i.b = f_.constant(0u - f_[i.b].immediate);
    return x;
  }

  Id differenceOf(Id a, Id b) const {
    const auto& body = f_.blocks[block_].body;
    for (std::size_t n = 0; n < at_; ++n)
      if (f_[body[n]].is(Opcode::Sub) && f_[body[n]].a == a && f_[body[n]].b == b &&
          mayCompare(body[n]))
        return body[n];
    return kNone;
  }

  void sweep(std::vector<Id>& body) {
    std::vector<Id> kept;
    for (std::size_t n = 0; n < body.size(); ++n)
      if (!gone_[n]) kept.push_back(body[n]);
    body = std::move(kept);
  }

  Function& f_;
  Uses uses_;
  Aliases aliases_;
  std::vector<int> position_;  // in the block's body, by id
  std::vector<bool> gone_;     // by position
  int block_ = 0;
  std::size_t at_ = 0;
};

}  // namespace

void combine(Function& f) { Combiner(f).run(); }

}  // namespace qgpu::lower
