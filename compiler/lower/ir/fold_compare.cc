// Comparisons, predicate logic and selects.
#include "compiler/lower/ir/facts.h"
#include "compiler/lower/ir/fold_rules.h"

namespace qgpu::lower::rules {

using isa::Compare;
using isa::Opcode;

namespace {

Folded decided(bool holds) { return flag(holds ? Predicate::always() : Predicate::never()); }

bool relationHolds(Compare relation, std::uint32_t a, std::uint32_t b) {
  isa::WarpIn in;
  isa::WarpOut out;
  in.a.fill(a);
  in.b.fill(b);
  in.compare = relation;
  isa::row(Opcode::Setp).run(in, out);
  return out.p != 0;
}

// A select between two constants, compared with a constant.
Folded comparedSelect(const Function& f, const Instruction& i, std::uint32_t k) {
  const Instruction& select = f[i.a];
  if (!select.is(Opcode::Mov) || select.hasMemory() || select.guard.isConstant())
    return std::nullopt;
  const auto x = constantOf(f, select.b), y = constantOf(f, select.c);
  if (!x || !y) return std::nullopt;
  const bool when_true = relationHolds(i.compare, *x, k);
  const bool when_false = relationHolds(i.compare, *y, k);
  if (when_true == when_false) return decided(when_true);
  return flag(when_true ? select.guard : !select.guard);
}

Folded equality(Builder& b, const Instruction& i, std::uint32_t k) {
  const Function& f = b.function();
  if ((facts(f, i.a).zeros & k) != 0) return decided(false);
  if (const Instruction* x = asOperation(f, i.a, Opcode::Xor)) {
    if (k == 0) return flag(b.compare(Compare::Eq, x->a, x->b));
    if (f.isConstant(x->b))
      return flag(b.compare(Compare::Eq, x->a, b.constant(f[x->b].immediate ^ k)));
  }
  if (const Instruction* difference = asOperation(f, i.a, Opcode::Sub)) {
    if (k == 0) return flag(b.compare(Compare::Eq, difference->a, difference->b));
    if (f.isConstant(difference->a))
      return flag(
          b.compare(Compare::Eq, difference->b, b.constant(f[difference->a].immediate - k)));
  }
  // A single bit is compared with 0.
  const std::uint32_t most = facts(f, i.a).most();
  if (k != 0 && most == k && (k & (k - 1)) == 0)
    return flag(!b.compare(Compare::Eq, i.a, b.zero()));
  return std::nullopt;
}

Folded orderWithConstant(Builder& b, Instruction& i, std::uint32_t k) {
  const Facts x = facts(b.function(), i.a);
  if (i.compare == Compare::Lt) {
    if (k == 0x80000000u || (k == 0 && x.isNonNegative())) return decided(false);
    if (!x.isNonNegative() || (k >> 31) != 0) return std::nullopt;
    i.compare = Compare::Ltu;
  }
  if (k == 0) return decided(false);
  if (x.most() < k) return decided(true);
  if (k == 1) return flag(b.compare(Compare::Eq, i.a, b.zero()));
  return std::nullopt;
}

// constant < x is !(x < constant + 1).
Folded swapConstant(Builder& b, const Instruction& i, std::uint32_t k) {
  const std::uint32_t largest = i.compare == Compare::Lt ? 0x7fffffffu : ~0u;
  if (k == largest) return decided(false);
  return flag(!b.compare(i.compare, i.b, b.constant(k + 1)));
}

}  // namespace

Folded comparison(Builder& b, Instruction& i) {
  const Function& f = b.function();
  if (i.compare == Compare::Eq && (f.isConstant(i.a) || (!f.isConstant(i.b) && i.a > i.b)))
    std::swap(i.a, i.b);
  if (i.a == i.b) return decided(i.compare == Compare::Eq);
  if (i.compare != Compare::Eq)
    if (const auto k = constantOf(f, i.a)) return swapConstant(b, i, *k);
  const auto k = constantOf(f, i.b);
  if (!k) return std::nullopt;
  if (auto known = comparedSelect(f, i, *k)) return known;
  return i.compare == Compare::Eq ? equality(b, i, *k) : orderWithConstant(b, i, *k);
}

Folded predicateLogic(Builder& b, Instruction& i) {
  Predicate p = i.guard, q = i.second;
  if (p.isConstant()) std::swap(p, q);
  if (i.op == Opcode::Pxor) {
    if (q.isConstant()) return flag(q.isAlways() ? !p : p);
    if (p.id == q.id) return decided(p.negate != q.negate);
    const bool negate = p.negate != q.negate;
    if (p.negate || q.negate) {
      const Predicate plain = b.differ({p.id}, {q.id});
      return flag(negate ? !plain : plain);
    }
  } else {
    const bool conjunction = i.op == Opcode::Pand;
    if (q.isConstant()) return flag(q.isAlways() == conjunction ? p : q);
    if (p == q) return flag(p);
    if (p == !q) return decided(!conjunction);
  }
  if (q < p) std::swap(p, q);
  i.guard = p;
  i.second = q;
  return std::nullopt;
}

// A vote on a constant: there is always a lane that runs.
Folded vote(Builder& b, Instruction& i) {
  if (i.row().guard != isa::GuardUse::Input || !i.guard.isConstant()) return std::nullopt;
  if (i.op == Opcode::VoteUni) return flag(Predicate::always());
  if (i.op != Opcode::Ballot) return flag(i.guard);
  return i.guard.isNever() ? word(b.zero()) : Folded();
}

namespace {

// A select on a comparison of the values it chooses from.
Folded selectOfCompared(Builder& b, const Instruction& i) {
  const Function& f = b.function();
  const Instruction& test = f[i.guard.id];
  if (!test.is(Opcode::Setp)) return std::nullopt;
  const Id x = i.guard.negate ? i.c : i.b, y = i.guard.negate ? i.b : i.c;
  const bool straight = x == test.a && y == test.b;
  const bool crossed = x == test.b && y == test.a;
  if (!straight && !crossed) return std::nullopt;
  if (test.compare == Compare::Eq) return word(y);
  if (test.compare == Compare::Lt)
    return word(b.operation(straight ? Opcode::Min : Opcode::Max, x, y));
  return word(b.operation(straight ? Opcode::Minu : Opcode::Maxu, x, y));
}

// What `id` is when `p` holds, looking through selects on p itself.
Id when(const Function& f, Id id, Predicate p) {
  const Instruction& i = f[id];
  if (!i.is(Opcode::Mov) || i.hasMemory() || i.guard.id != p.id) return id;
  return i.guard == p ? i.b : i.c;
}

}  // namespace

Folded move(Builder& b, Instruction& i) {
  const Function& f = b.function();
  if (i.guard.isAlways()) return word(i.b);
  i.b = when(f, i.b, i.guard);
  i.c = when(f, i.c, !i.guard);
  if (i.b == i.c || f.isUndefined(i.c)) return word(i.b);
  if (f.isUndefined(i.b)) return word(i.c);
  if (auto known = selectOfCompared(b, i)) return known;
  // Only one of the two forms of a select is kept.
  if (i.guard.negate) {
    std::swap(i.b, i.c);
    i.guard = !i.guard;
  }
  return std::nullopt;
}

}  // namespace qgpu::lower::rules
