// Addition, subtraction, multiplication, division, minimum and maximum.
#include <bit>

#include "compiler/lower/ir/facts.h"
#include "compiler/lower/ir/fold_rules.h"

namespace qgpu::lower::rules {

using isa::Compare;
using isa::Opcode;

namespace {

// a + b for two constants: the sum points where the one address among them does.
Folded sumOfConstants(Builder& b, Id x, Id y) {
  Function& f = b.function();
  if (!f.isConstant(x)) return std::nullopt;  // one constant alone stands in y
  const int ox = f[x].memory.object, oy = f[y].memory.object;
  const int object = oy == kNoObject ? ox : ox == kNoObject ? oy : kNoObject;
  return word(b.constant(f[x].immediate + f[y].immediate, object));
}

// u * k + rest where that is the remainder of a division put together with its quotient again, or
// the thread's index in the launch.
Folded recombined(Builder& b, Id u, std::uint32_t k, Id rest) {
  Function& f = b.function();
  if (f.isSpecial(u, isa::Special::Ctaid) && f.isSpecial(rest, isa::Special::Tid) &&
      k == f.block_threads)
    return word(f.special(isa::Special::Gtid));
  // u * k + (v - u * k)
  const Instruction* remainder = asOperation(f, rest, Opcode::Mad);
  if (remainder != nullptr && remainder->a == u && f.isConstant(remainder->b, 0u - k))
    return word(remainder->c);
  // (v >> n) * 2^n + (v & (2^n - 1))
  const Instruction* quotient = asOperation(f, u, Opcode::Shr);
  remainder = asOperation(f, rest, Opcode::And);
  if (quotient == nullptr || remainder == nullptr || quotient->a != remainder->a)
    return std::nullopt;
  const auto n = constantOf(f, quotient->b);
  if (!n || *n >= 32 || k != 1u << *n || !f.isConstant(remainder->b, k - 1)) return std::nullopt;
  return word(remainder->a);
}

// The same for a sum with a product in it.
Folded recombinedSum(Builder& b, Id product, Id rest) {
  const Function& f = b.function();
  if (const Instruction* mad = asOperation(f, product, Opcode::Mad))
    if (f.isConstant(mad->b) && f.isConstant(mad->c, 0))
      return recombined(b, mad->a, f[mad->b].immediate, rest);
  if (const Instruction* shl = asOperation(f, product, Opcode::Shl))
    if (f.isConstant(shl->b)) return recombined(b, shl->a, 1u << f[shl->b].immediate, rest);
  return std::nullopt;
}

// The word result of an addition with a carry that is nobody's business.
Folded plainSum(Builder& b, Id x, Id y) {
  Function& f = b.function();
  if (auto known = sumOfConstants(b, x, y)) return known;
  if (f.isConstant(y, 0) && f[y].memory.object == kNoObject) return word(x);
  if (f.isConstant(y)) {
    // (u + constant) + constant
    const Instruction* inner = asOperation(f, x, Opcode::Add);
    if (inner != nullptr && f.isConstant(inner->b) && inner->compare == Compare::Eq) {
      const Id u = inner->a, k = inner->b;
      return word(b.add(u, b.add(k, y)));
    }
    // (constant - u) + constant
    const Instruction* difference = asOperation(f, x, Opcode::Sub);
    if (difference != nullptr && f.isConstant(difference->a)) {
      const Id u = difference->b, k = difference->a;
      return word(b.sub(b.add(k, y), u));
    }
  }
  if (auto known = recombinedSum(b, x, y)) return known;
  if (auto known = recombinedSum(b, y, x)) return known;
  // u + (0 - v), (0 - v) + u
  const Instruction* negated = asOperation(f, y, Opcode::Sub);
  if (negated != nullptr && f.isConstant(negated->a, 0)) return word(b.sub(x, negated->b));
  negated = asOperation(f, x, Opcode::Sub);
  if (negated != nullptr && f.isConstant(negated->a, 0)) return word(b.sub(y, negated->b));
  // (u - v) + v
  if (negated != nullptr && negated->b == y) return word(negated->a);
  return std::nullopt;
}

}  // namespace

Folded addition(Builder& b, Instruction& i) {
  const Function& f = b.function();
  if (i.op == Opcode::Addc) {
    if (i.guard.isConstant() && i.guard.isNever()) {
      Instruction plain = i;
      plain.op = Opcode::Add;
      plain.guard = {};
      return b.emit(std::move(plain));
    }
    return std::nullopt;
  }
  if (i.compare == Compare::Eq) return plainSum(b, i.a, i.b);
  // Operands too small to carry.
  const std::uint64_t most = std::uint64_t{facts(f, i.a).most()} + facts(f, i.b).most();
  if (f.isConstant(i.b, 0) || most >> 32 == 0) return Value{b.add(i.a, i.b), Predicate::never()};
  return std::nullopt;
}

Folded subtraction(Builder& b, Instruction& i) {
  Function& f = b.function();
  if (i.op == Opcode::Subc) return std::nullopt;
  if (i.compare != Compare::Eq) {
    const bool decided = f.isConstant(i.b, 0) && i.compare == Compare::Ltu;
    return decided ? Folded(Value{i.a, Predicate::never()}) : std::nullopt;
  }
  if (i.a == i.b) return word(b.zero());
  if (const auto k = constantOf(f, i.b)) {
    const bool same = f.isConstant(i.a) && f[i.a].memory.object == f[i.b].memory.object;
    if (same) return word(b.constant(f[i.a].immediate - *k));
    return word(b.add(i.a, b.constant(0u - *k)));
  }
  // u - (0 - v)
  const Instruction* inner = asOperation(f, i.b, Opcode::Sub);
  if (inner != nullptr && f.isConstant(inner->a, 0)) return word(b.add(i.a, inner->b));
  // (u + v) - v, (u + v) - u
  inner = asOperation(f, i.a, Opcode::Add);
  if (inner != nullptr && inner->b == i.b) return word(inner->a);
  if (inner != nullptr && inner->a == i.b) return word(inner->b);
  // constant - (u + constant)
  inner = asOperation(f, i.b, Opcode::Add);
  if (inner != nullptr && f.isConstant(i.a) && f.isConstant(inner->b)) {
    const Id u = inner->a, k = inner->b;
    return word(b.sub(b.sub(i.a, k), u));
  }
  return std::nullopt;
}

Folded multiplication(Builder& b, Instruction& i) {
  Function& f = b.function();
  const auto k = constantOf(f, i.b);
  if (!k) return std::nullopt;
  if (i.op != Opcode::Mad) return *k == 0 ? word(i.c) : std::nullopt;
  if (f.isConstant(i.a)) return word(b.add(i.c, b.constant(f[i.a].immediate * *k)));
  if (*k == 0) return word(i.c);
  if (*k == 1) return word(b.add(i.a, i.c));
  if (*k == ~0u) return word(b.sub(i.c, i.a));
  if (auto known = recombined(b, i.a, *k, i.c)) return known;
  const auto addend = constantOf(f, i.c);
  if (f.isConstant(i.c, 0) && std::has_single_bit(*k))
    return word(b.shiftLeftBy(i.a, static_cast<std::uint32_t>(std::countr_zero(*k))));
  // (u * constant) * constant, (u << constant) * constant, (u + constant) * constant
  const Instruction* inner = asOperation(f, i.a, Opcode::Mad);
  if (inner != nullptr && f.isConstant(inner->b) && f.isConstant(inner->c, 0))
    return word(b.mad(inner->a, b.constant(f[inner->b].immediate * *k), i.c));
  inner = asOperation(f, i.a, Opcode::Shl);
  if (inner != nullptr && f.isConstant(inner->b))
    return word(b.mad(inner->a, b.constant(*k << f[inner->b].immediate), i.c));
  inner = asOperation(f, i.a, Opcode::Add);
  if (addend && inner != nullptr && f.isConstant(inner->b)) {
    const Id offset = b.add(i.c, b.constant(f[inner->b].immediate * *k));
    return word(b.mad(f[i.a].a, i.b, offset));
  }
  return std::nullopt;
}

Folded division(Builder& b, Instruction& i) {
  Function& f = b.function();
  if (i.op == Opcode::Div && facts(f, i.a).isNonNegative() && facts(f, i.b).isNonNegative())
    i.op = Opcode::Divu;
  if (i.op != Opcode::Quo && i.op != Opcode::Rem) return std::nullopt;
  const Instruction& division = f[i.a];
  if (!f.isConstant(division.a) || !f.isConstant(division.b)) return std::nullopt;
  isa::WarpIn in;
  isa::WarpOut quotient, remainder;
  in.a.fill(f[division.a].immediate);
  in.b.fill(f[division.b].immediate);
  division.row().run(in, quotient);
  if (i.op == Opcode::Quo) return word(b.constant(quotient.r[0]));
  in.c = quotient.r;
  i.row().run(in, remainder);
  return word(b.constant(remainder.r[0]));
}

Folded choice(Builder& b, Instruction& i) {
  const Function& f = b.function();
  if (i.a == i.b) return word(i.a);
  const bool is_signed = i.op == Opcode::Min || i.op == Opcode::Max;
  const bool smaller = i.op == Opcode::Min || i.op == Opcode::Minu;
  const Facts x = facts(f, i.a), y = facts(f, i.b);
  if (is_signed && x.isNonNegative() && y.isNonNegative()) {
    i.op = smaller ? Opcode::Minu : Opcode::Maxu;
    return choice(b, i);
  }
  if (!is_signed) {
    if (const auto k = constantOf(f, i.b); k && x.most() <= *k) return word(smaller ? i.a : i.b);
    if (f.isConstant(i.b, 0)) return word(smaller ? i.b : i.a);
  }
  return std::nullopt;
}

}  // namespace qgpu::lower::rules
