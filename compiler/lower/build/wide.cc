#include "compiler/lower/build/wide.h"

#include "compiler/lower/ir/facts.h"

namespace qgpu::lower::wide {

using isa::Compare;
using isa::Opcode;

Wide constant(Builder& b, std::uint64_t value) {
  return {b.constant(static_cast<std::uint32_t>(value)),
          b.constant(static_cast<std::uint32_t>(value >> 32))};
}

Wide fromUnsigned(Builder& b, Id word) { return {word, b.zero()}; }
Wide fromSigned(Builder& b, Id word) { return {word, b.shiftRightSignedBy(word, 31)}; }

bool isZeroExtended(const Function& f, Wide a) { return f.isConstant(a.high, 0); }

bool isSignExtended(const Function& f, Wide a) {
  if (f.isConstant(a.high)) {
    const std::uint32_t sign = f[a.high].immediate;
    if (sign == 0) return facts(f, a.low).isNonNegative();
    return f.isConstant(a.low) && sign == ~0u && (f[a.low].immediate >> 31) != 0;
  }
  const Instruction& high = f[a.high];
  return high.is(Opcode::Sar) && high.a == a.low && f.isConstant(high.b, 31);
}

Wide add(Builder& b, Wide x, Wide y) {
  const Value low = b.addWithCarry(x.low, y.low, Predicate::never());
  return {low.word, b.addWithCarry(x.high, y.high, low.flag).word};
}

Wide sub(Builder& b, Wide x, Wide y) {
  const Value low = b.subWithBorrow(x.low, y.low, Predicate::always());
  return {low.word, b.subWithBorrow(x.high, y.high, low.flag).word};
}

Wide negate(Builder& b, Wide x) { return sub(b, constant(b, 0), x); }

Wide product(Builder& b, Id x, Id y, bool is_signed) {
  const Id high = is_signed ? b.mulHighSigned(x, y) : b.mulHighUnsigned(x, y);
  return {b.mul(x, y), high};
}

Wide mul(Builder& b, Wide x, Wide y) {
  const Function& f = b.function();
  if (isSignExtended(f, x) && isSignExtended(f, y)) return product(b, x.low, y.low, true);
  const Id cross = b.mad(x.low, y.high, b.mul(x.high, y.low));
  return {b.mul(x.low, y.low), b.operation(Opcode::Madhu, x.low, y.low, cross)};
}

Wide mulHigh(Builder& b, Wide x, Wide y, bool is_signed) {
  // The product by its four parts; `carry` sums what reaches bit 64 from below.
  const Wide middle1 = product(b, x.low, y.high, false);
  const Wide middle2 = product(b, x.high, y.low, false);
  const Wide below = {b.mulHighUnsigned(x.low, y.low), b.zero()};
  const Wide sum =
      add(b, add(b, below, fromUnsigned(b, middle1.low)), fromUnsigned(b, middle2.low));
  Wide high = product(b, x.high, y.high, false);
  high = add(b, high, fromUnsigned(b, middle1.high));
  high = add(b, high, fromUnsigned(b, middle2.high));
  high = add(b, high, fromUnsigned(b, sum.high));
  if (!is_signed) return high;
  const Wide zero = constant(b, 0);
  const Predicate x_negative = b.compare(Compare::Lt, x.high, b.zero());
  const Predicate y_negative = b.compare(Compare::Lt, y.high, b.zero());
  high = sub(b, high, select(b, x_negative, y, zero));
  return sub(b, high, select(b, y_negative, x, zero));
}

Wide bitwise(Builder& b, Opcode op, Wide x, Wide y) {
  return {b.operation(op, x.low, y.low), b.operation(op, x.high, y.high)};
}

Wide select(Builder& b, Predicate p, Wide x, Wide y) {
  return {b.select(p, x.low, y.low), b.select(p, x.high, y.high)};
}

namespace {

// 32 - n and n - 32: amounts that are too large on one side of 32 and so shift everything out
// there.
struct Amounts {
  Id n, up, down;
  Amounts(Builder& b, Id amount)
      : n(amount), up(b.sub(b.constant(32), amount)), down(b.add(amount, b.constant(0u - 32))) {}
};

}  // namespace

// Each operation is a statement: in what order a compiler evaluates arguments is its own choice,
// and programs must not depend on it.
Wide shiftLeft(Builder& b, Wide x, Id amount) {
  const Amounts m(b, amount);
  const Id near = b.shiftRight(x.low, m.up);
  const Id far = b.shiftLeft(x.low, m.down);
  const Id carried = b.bitOr(near, far);
  const Id low = b.shiftLeft(x.low, m.n);
  const Id high = b.shiftLeft(x.high, m.n);
  return {low, b.bitOr(high, carried)};
}

Wide shiftRight(Builder& b, Wide x, Id amount, bool is_signed) {
  const Amounts m(b, amount);
  const Id own = b.shiftRight(x.low, m.n);
  const Id near = b.shiftLeft(x.high, m.up);
  const Id low = b.bitOr(own, near);
  if (!is_signed) {
    const Id far = b.shiftRight(x.high, m.down);
    return {b.bitOr(low, far), b.shiftRight(x.high, m.n)};
  }
  const Predicate within = b.compare(Compare::Ltu, m.n, b.constant(32));
  const Id far = b.shiftRightSigned(x.high, m.down);
  return {b.select(within, low, far), b.shiftRightSigned(x.high, m.n)};
}

Predicate equal(Builder& b, Wide x, Wide y) {
  const Function& f = b.function();
  const bool narrow = (isSignExtended(f, x) && isSignExtended(f, y)) ||
                      (isZeroExtended(f, x) && isZeroExtended(f, y));
  const Predicate low = b.compare(Compare::Eq, x.low, y.low);
  return narrow ? low : b.both(low, b.compare(Compare::Eq, x.high, y.high));
}

Predicate less(Builder& b, Wide x, Wide y, bool is_signed) {
  const Function& f = b.function();
  if (isZeroExtended(f, x) && isZeroExtended(f, y)) return b.compare(Compare::Ltu, x.low, y.low);
  const Compare relation = is_signed ? Compare::Lt : Compare::Ltu;
  if (isSignExtended(f, x) && isSignExtended(f, y)) return b.compare(relation, x.low, y.low);
  // The sign alone.
  if (is_signed && f.isConstant(y.low, 0) && f.isConstant(y.high, 0))
    return b.compare(Compare::Lt, x.high, b.zero());
  const Predicate no_borrow = !b.compare(Compare::Ltu, x.low, y.low);
  return b.compareWithBorrow(relation, x.high, y.high, no_borrow);
}

}  // namespace qgpu::lower::wide
