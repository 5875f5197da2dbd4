#include <bit>

#include "compiler/lower/build/families.h"

namespace qgpu::lower {

using isa::Compare;
using isa::Opcode;
using ptx::bitWidth;

namespace {

Opcode wordOpcode(ptx::Opcode op) {
  return op == ptx::Opcode::And ? Opcode::And : op == ptx::Opcode::Or ? Opcode::Or : Opcode::Xor;
}

Predicate predicateLogic(Builder& b, ptx::Opcode op, Predicate x, Predicate y) {
  if (op == ptx::Opcode::And) return b.both(x, y);
  return op == ptx::Opcode::Or ? b.either(x, y) : b.differ(x, y);
}

}  // namespace

void translateBitwise(Context& c, const ptx::Instruction& i) {
  Builder& b = c.b;
  const ptx::Operand& d = i.operands[0];
  const bool unary = i.opcode == ptx::Opcode::Not || i.opcode == ptx::Opcode::Cnot;
  if (i.type == ptx::Type::Pred) {
    const Predicate x = c.flag(i.operands[1]);
    return c.setFlag(d, unary ? !x : predicateLogic(b, i.opcode, x, c.flag(i.operands[2])));
  }
  const Wide x = c.pair(i, 1);
  const bool is_wide = bitWidth(i.type) == 64;
  if (i.opcode == ptx::Opcode::Cnot) {
    const Predicate zero = is_wide ? wide::equal(b, x, wide::constant(b, 0))
                                   : b.compare(Compare::Eq, c.extend(x.low, i.type), b.zero());
    return c.setPair(d, wide::fromUnsigned(b, b.fromPredicate(zero)));
  }
  const Wide y = unary ? wide::constant(b, ~0ull) : c.pair(i, 2);
  const Opcode op = unary ? Opcode::Xor : wordOpcode(i.opcode);
  c.setPair(d,
            is_wide ? wide::bitwise(b, op, x, y) : Wide{b.operation(op, x.low, y.low), b.zero()});
}

namespace {

// Any function of two words, as its truth table: bit 2x + y is the result for bits x and y.
Id ofTwo(Builder& b, std::uint32_t table, Id x, Id y) {
  const auto complementOf = [&](Id value) { return b.complement(value); };
  switch (table) {
    case 0b0000: return b.zero();
    case 0b0001: return complementOf(b.bitOr(x, y));
    case 0b0010: return b.andNot(y, x);
    case 0b0011: return complementOf(x);
    case 0b0100: return b.andNot(x, y);
    case 0b0101: return complementOf(y);
    case 0b0110: return b.bitXor(x, y);
    case 0b0111: return complementOf(b.bitAnd(x, y));
    case 0b1000: return b.bitAnd(x, y);
    case 0b1001: return complementOf(b.bitXor(x, y));
    case 0b1010: return y;
    case 0b1011: return complementOf(b.andNot(x, y));
    case 0b1100: return x;
    case 0b1101: return complementOf(b.andNot(y, x));
    case 0b1110: return b.bitOr(x, y);
    default: return b.constant(~0u);
  }
}
int costOfTwo(std::uint32_t table) {
  constexpr int kCost[16] = {0, 2, 1, 1, 1, 1, 1, 2, 1, 2, 0, 2, 0, 2, 1, 0};
  return kCost[table];
}

// A table of three inputs with input `pivot` taken out: its value where that input is 0, and where
// the two differ.
struct Split {
  std::uint32_t when_zero = 0, difference = 0;

  Split(std::uint32_t table, int pivot) {
    const int place = 2 - pivot;  // input a is bit 2 of the row number
    for (std::uint32_t row = 0; row < 4; ++row) {
      const std::uint32_t low = row & ((1u << place) - 1);
      const std::uint32_t full = (row >> place) << (place + 1) | low;
      const std::uint32_t zero = table >> full & 1, one = table >> (full | 1u << place) & 1;
      when_zero |= zero << row;
      difference |= (zero ^ one) << row;
    }
  }
  int cost() const {
    const int join = difference == 0 ? 0 : (when_zero == 0 ? 0 : 1) + (difference == 15 ? 0 : 1);
    return costOfTwo(when_zero) + costOfTwo(difference) + join;
  }
};

// f = f0 ^ (pivot & (f0 ^ f1)), by the cheapest pivot.
Id ofThree(Builder& b, std::uint32_t table, Id x, Id y, Id z) {
  const Id inputs[3] = {x, y, z};
  int best = 0;
  for (int pivot = 1; pivot < 3; ++pivot)
    if (Split(table, pivot).cost() < Split(table, best).cost()) best = pivot;
  const Split split(table, best);
  const Id u = inputs[best == 0 ? 1 : 0], v = inputs[best == 2 ? 1 : 2];
  const Id difference = ofTwo(b, split.difference, u, v);
  return b.bitXor(ofTwo(b, split.when_zero, u, v), b.bitAnd(inputs[best], difference));
}

}  // namespace

void translateLop3(Context& c, const ptx::Instruction& i) {
  const std::uint32_t table = c.constant(i.operands[4]).value_or(0) & 255;
  const Id result = ofThree(c.b, table, c.word(i, 1), c.word(i, 2), c.word(i, 3));
  c.setWord(i.operands[0], result);
  if (i.boolean == ptx::Boolean::None) return;
  const auto* both = std::get_if<ptx::RegisterPair>(&i.operands[0].value);
  if (both == nullptr) return;
  const Predicate nonzero = c.b.isNonZero(result), tail = c.flag(i.operands[5]);
  const bool is_and = i.boolean == ptx::Boolean::And;
  c.setFlagRegister(both->second, is_and ? c.b.both(nonzero, tail) : c.b.either(nonzero, tail));
}

void translateShift(Context& c, const ptx::Instruction& i) {
  Builder& b = c.b;
  const ptx::Operand& d = i.operands[0];
  const bool left = i.opcode == ptx::Opcode::Shl, is_signed = ptx::isSigned(i.type);
  const Id n = c.word(i, 2);
  if (bitWidth(i.type) == 64) {
    const Wide x = c.pair(i, 1);
    return c.setPair(d, left ? wide::shiftLeft(b, x, n) : wide::shiftRight(b, x, n, is_signed));
  }
  if (left) return c.setWord(d, b.shiftLeft(c.word(i, 1), n));
  const Id x = c.extended(i, 1, i.type);
  c.setWord(d, is_signed ? b.shiftRightSigned(x, n) : b.shiftRight(x, n));
}

void translateFunnelShift(Context& c, const ptx::Instruction& i) {
  Builder& b = c.b;
  const Id low = c.word(i, 1), high = c.word(i, 2);
  const bool left = i.direction == ptx::Direction::Left, wrap = i.bound == ptx::Bound::Wrap;
  const Id amount = c.word(i, 3);
  const ptx::Operand& d = i.operands[0];
  if (low == high && wrap) {
    const Id n = left ? amount : b.negate(amount);
    return c.setWord(d, b.rotateLeft(low, n));
  }
  const Id n = wrap ? b.mask(amount, 31) : b.operation(Opcode::Minu, amount, b.constant(32));
  const Id rest = b.sub(b.constant(32), n);
  c.setWord(d, left ? b.bitOr(b.shiftLeft(high, n), b.shiftRight(low, rest))
                    : b.bitOr(b.shiftRight(low, n), b.shiftLeft(high, rest)));
}

namespace {

Wide reversed(Builder& b, Wide x) {
  return {b.unary(Opcode::Brev, x.high), b.unary(Opcode::Brev, x.low)};
}

// Zeros above the highest one of 64 bits.
Id leadingZeros(Builder& b, Wide x) {
  const Predicate upper = b.isNonZero(x.high);
  const Id lower = b.add(b.unary(Opcode::Clz, x.low), b.constant(32));
  return b.select(upper, b.unary(Opcode::Clz, x.high), lower);
}

// The number of the highest bit that is not a copy of the sign, from below, or from above with
// .shiftamt; all ones if there is none.
Id findBit(Context& c, const ptx::Instruction& i) {
  Builder& b = c.b;
  const bool is_wide = bitWidth(i.type) == 64;
  Wide x = c.pair(i, 1);
  if (ptx::isSigned(i.type)) {
    const Id sign = b.shiftRightSignedBy(is_wide ? x.high : x.low, 31);
    x = {b.bitXor(x.low, sign), b.bitXor(x.high, sign)};
  }
  const Id zeros = is_wide ? leadingZeros(b, x) : b.unary(Opcode::Clz, x.low);
  const std::uint32_t width = is_wide ? 64 : 32;
  if (!i.has(ptx::Flag::ShiftAmount)) return b.sub(b.constant(width - 1), zeros);
  const Predicate none = b.compare(Compare::Eq, zeros, b.constant(width));
  return b.select(none, b.constant(~0u), zeros);
}

}  // namespace

void translateBitCount(Context& c, const ptx::Instruction& i) {
  Builder& b = c.b;
  const ptx::Operand& d = i.operands[0];
  const bool is_wide = bitWidth(i.type) == 64;
  const Wide x = c.pair(i, 1);
  switch (i.opcode) {
    case ptx::Opcode::Brev:
      return c.setPair(d, is_wide ? reversed(b, x) : Wide{b.unary(Opcode::Brev, x.low), b.zero()});
    case ptx::Opcode::Popc: {
      const Id low = b.unary(Opcode::Popc, x.low);
      return c.setWord(d, is_wide ? b.add(low, b.unary(Opcode::Popc, x.high)) : low);
    }
    case ptx::Opcode::Clz:
      return c.setWord(d, is_wide ? leadingZeros(b, x) : b.unary(Opcode::Clz, x.low));
    default: return c.setWord(d, findBit(c, i));
  }
}

namespace {

Id lowByte(Context& c, const ptx::Instruction& i, std::size_t n) {
  return c.b.mask(c.word(i, n), 255);
}

// `length` ones from bit `at` up.
Wide fieldMask(Builder& b, Id at, Id length, bool is_wide) {
  if (is_wide) {
    const Wide one = wide::constant(b, 1);
    const Wide ones = wide::sub(b, wide::shiftLeft(b, one, length), one);
    return wide::shiftLeft(b, ones, at);
  }
  const Id ones = b.add(b.shiftLeft(b.constant(1), length), b.constant(~0u));
  return {b.shiftLeft(ones, at), b.zero()};
}

// Bits `at` up to the end, then cut to `length` by pushing them to the top and back: that also
// copies the sign of a field that reaches beyond the word.
Wide extracted(Builder& b, Wide x, Id at, Id length, bool is_wide, bool is_signed) {
  if (!is_signed) {
    const Wide mask = fieldMask(b, b.zero(), length, is_wide);
    const Wide field =
        is_wide ? wide::shiftRight(b, x, at, false) : Wide{b.shiftRight(x.low, at), b.zero()};
    return wide::bitwise(b, Opcode::And, field, mask);
  }
  const std::uint32_t width = is_wide ? 64 : 32;
  const Id missing = b.sub(b.constant(width), length);
  const Id unused = b.operation(Opcode::Max, missing, b.zero());
  if (is_wide) {
    const Wide field = wide::shiftLeft(b, wide::shiftRight(b, x, at, true), unused);
    return wide::shiftRight(b, field, unused, true);
  }
  const Id field = b.shiftLeft(b.shiftRightSigned(x.low, at), unused);
  return {b.shiftRightSigned(field, unused), b.zero()};
}

Wide inserted(Context& c, const ptx::Instruction& i, bool is_wide) {
  Builder& b = c.b;
  const Wide field = c.pair(i, 1), into = c.pair(i, 2);
  const Id at = lowByte(c, i, 3);
  const Wide mask = fieldMask(b, at, lowByte(c, i, 4), is_wide);
  const Wide moved =
      is_wide ? wide::shiftLeft(b, field, at) : Wide{b.shiftLeft(field.low, at), b.zero()};
  const Wide change = wide::bitwise(b, Opcode::Xor, into, moved);
  return wide::bitwise(b, Opcode::Xor, into, wide::bitwise(b, Opcode::And, change, mask));
}

// The number of bits that szext and bmsk count, wrapped or clamped.
Id bounded(Context& c, const ptx::Instruction& i, std::size_t n) {
  const Id count = c.word(i, n);
  if (i.bound == ptx::Bound::Wrap) return c.b.mask(count, 31);
  return c.b.operation(Opcode::Minu, count, c.b.constant(32));
}

}  // namespace

void translateBitField(Context& c, const ptx::Instruction& i) {
  Builder& b = c.b;
  const ptx::Operand& d = i.operands[0];
  const bool is_wide = bitWidth(i.type) == 64, is_signed = ptx::isSigned(i.type);
  switch (i.opcode) {
    case ptx::Opcode::Bfe: {
      const Id at = lowByte(c, i, 2), length = lowByte(c, i, 3);
      return c.setPair(d, extracted(b, c.pair(i, 1), at, length, is_wide, is_signed));
    }
    case ptx::Opcode::Bfi: return c.setPair(d, inserted(c, i, is_wide));
    case ptx::Opcode::Bmsk:
      return c.setPair(d, fieldMask(b, bounded(c, i, 1), bounded(c, i, 2), false));
    default: {  // szext
      const Id unused = b.sub(b.constant(32), bounded(c, i, 2));
      const Id top = b.shiftLeft(c.word(i, 1), unused);
      return c.setWord(d, is_signed ? b.shiftRightSigned(top, unused) : b.shiftRight(top, unused));
    }
  }
}

namespace {

// The selector that a mode of prmt stands for, for each value of the low two bits of c.
std::array<std::uint32_t, 4> selectors(ptx::Permute mode) {
  switch (mode) {
    case ptx::Permute::F4e: return {0x3210, 0x4321, 0x5432, 0x6543};
    case ptx::Permute::B4e: return {0x5670, 0x6701, 0x7012, 0x0123};
    case ptx::Permute::Rc8: return {0x0000, 0x1111, 0x2222, 0x3333};
    case ptx::Permute::Ecl: return {0x3210, 0x3211, 0x3222, 0x3333};
    case ptx::Permute::Ecr: return {0x0000, 0x1110, 0x2210, 0x3210};
    default: return {0x1010, 0x3232, 0x1010, 0x3232};
  }
}

}  // namespace

void translatePermute(Context& c, const ptx::Instruction& i) {
  Builder& b = c.b;
  Id selector = c.word(i, 3);
  if (i.permute != ptx::Permute::None) {
    const auto table = selectors(i.permute);
    const Predicate odd = b.isNonZero(b.mask(selector, 1));
    const Predicate upper = b.isNonZero(b.mask(selector, 2));
    const auto pick = [&](std::size_t n) {
      return b.select(odd, b.constant(table[n + 1]), b.constant(table[n]));
    };
    selector = b.select(upper, pick(2), pick(0));
  }
  c.setWord(i.operands[0], b.operation(Opcode::Prmt, c.word(i, 1), c.word(i, 2), selector));
}

}  // namespace qgpu::lower
