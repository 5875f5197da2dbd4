// Division: by the machine's own up to 32 bits, bit by bit for 64.
#include "compiler/lower/build/families.h"
#include "compiler/lower/build/repeat.h"

namespace qgpu::lower {
namespace {

struct Division {
  Wide quotient, remainder;
};

// One bit a round: it moves out of the dividend into the remainder, the divisor is taken off that
// where it fits, and whether it did moves into the quotient, which takes the dividend's place.
Division divide(Context& c, Wide x, Wide y) {
  Builder& b = c.b;
  const auto bits = repeat(c, 64, {x.low, x.high, b.zero(), b.zero()}, [&](const auto& now) {
    const Value low = b.addWithCarry(now[0], now[0], Predicate::never());
    const Value high = b.addWithCarry(now[1], now[1], low.flag);
    const Value rest = b.addWithCarry(now[2], now[2], high.flag);
    const Value rest_high = b.addWithCarry(now[3], now[3], rest.flag);
    const Value less = b.subWithBorrow(rest.word, y.low, Predicate::always());
    const Value less_high = b.subWithBorrow(rest_high.word, y.high, less.flag);
    const Predicate fits = b.either(rest_high.flag, less_high.flag);
    const Id quotient = b.addWithCarry(low.word, b.zero(), fits).word;
    const Id remainder = b.select(fits, less.word, rest.word);
    const Id remainder_high = b.select(fits, less_high.word, rest_high.word);
    return std::vector{quotient, high.word, remainder, remainder_high};
  });
  return {{bits[0], bits[1]}, {bits[2], bits[3]}};
}

// The same where the divisor has one word: so has the remainder.
Division divideByWord(Context& c, Wide x, Id y) {
  Builder& b = c.b;
  const auto bits = repeat(c, 64, {x.low, x.high, b.zero()}, [&](const auto& now) {
    const Value low = b.addWithCarry(now[0], now[0], Predicate::never());
    const Value high = b.addWithCarry(now[1], now[1], low.flag);
    const Value rest = b.addWithCarry(now[2], now[2], high.flag);
    const Value less = b.subWithBorrow(rest.word, y, Predicate::always());
    const Predicate fits = b.either(rest.flag, less.flag);
    const Id quotient = b.addWithCarry(low.word, b.zero(), fits).word;
    return std::vector{quotient, high.word, b.select(fits, less.word, rest.word)};
  });
  return {{bits[0], bits[1]}, wide::fromUnsigned(b, bits[2])};
}

Wide divideWide(Context& c, Wide x, Wide y, bool is_signed, bool wants_quotient) {
  Builder& b = c.b;
  const auto isNegative = [&](Wide v) {
    return is_signed ? b.compare(isa::Compare::Lt, v.high, b.zero()) : Predicate::never();
  };
  const auto negateWhere = [&](Predicate p, Wide v) {
    return p.isNever() ? v : wide::select(b, p, wide::negate(b, v), v);
  };
  const Predicate x_negative = isNegative(x), y_negative = isNegative(y);
  const Wide magnitude = negateWhere(x_negative, x), by = negateWhere(y_negative, y);
  const Division found =
      wide::isZeroExtended(c.f, by) ? divideByWord(c, magnitude, by.low) : divide(c, magnitude, by);
  if (!wants_quotient) return negateWhere(x_negative, found.remainder);
  return negateWhere(b.differ(x_negative, y_negative), found.quotient);
}

}  // namespace

void translateDivision(Context& c, const ptx::Instruction& i) {
  const bool is_signed = ptx::isSigned(i.type);
  const bool quotient = i.opcode == ptx::Opcode::Div;
  const ptx::Operand& d = i.operands[0];
  const auto divide = [&](bool with_sign, Id x, Id y) {
    return quotient ? c.b.quotient(with_sign, x, y) : c.b.remainder(with_sign, x, y);
  };
  if (ptx::bitWidth(i.type) != 64)
    return c.setWord(d, divide(is_signed, c.extended(i, 1, i.type), c.extended(i, 2, i.type)));
  const Wide x = c.pair(i, 1), y = c.pair(i, 2);
  if (wide::isZeroExtended(c.f, x) && wide::isZeroExtended(c.f, y))
    return c.setPair(d, wide::fromUnsigned(c.b, divide(false, x.low, y.low)));
  c.setPair(d, divideWide(c, x, y, is_signed, quotient));
}

}  // namespace qgpu::lower
