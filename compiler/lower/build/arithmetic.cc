#include "compiler/lower/build/families.h"
#include "interpreter/base/failure.h"

namespace qgpu::lower {

using isa::Compare;
using isa::Opcode;
using ptx::bitWidth;
using ptx::Flag;
using ptx::Half;

namespace {

// The two's complement of v, so that a subtraction is an addition with a carry.
Wide complement(Builder& b, Wide v) { return {b.complement(v.low), b.complement(v.high)}; }

// x + y + carry over the type's width, and the carry out of it.
struct Sum {
  Wide value;
  Predicate carry;
};
Sum sum(Builder& b, Wide x, Wide y, Predicate carry, bool is_wide) {
  const Value low = b.addWithCarry(x.low, y.low, carry);
  if (!is_wide) return {{low.word, b.zero()}, low.flag};
  const Value high = b.addWithCarry(x.high, y.high, low.flag);
  return {{low.word, high.word}, high.flag};
}

// Signed 32-bit sum or difference, clamped.
Id saturated(Builder& b, Id x, Id y, bool subtract) {
  const Id result = subtract ? b.sub(x, y) : b.add(x, y);
  // Overflow: the operands' signs let the result have only one sign, and it has the other.
  const Id differs = b.bitXor(x, result);
  const Id same = subtract ? b.bitXor(x, y) : b.complement(b.bitXor(x, y));
  const Predicate overflow = b.compare(Compare::Lt, b.bitAnd(differs, same), b.zero());
  const Id limit = b.bitXor(b.shiftRightSignedBy(x, 31), b.constant(0x7fffffff));
  return b.select(overflow, limit, result);
}

}  // namespace

void translateSum(Context& c, const ptx::Instruction& i) {
  const bool subtract = i.opcode == ptx::Opcode::Sub || i.opcode == ptx::Opcode::Subc;
  const bool carry_in = i.opcode == ptx::Opcode::Addc || i.opcode == ptx::Opcode::Subc;
  const bool is_wide = bitWidth(i.type) == 64;
  const ptx::Operand& d = i.operands[0];
  if (i.has(Flag::Saturate))
    return c.setWord(d, saturated(c.b, c.word(i, 1), c.word(i, 2), subtract));
  const Wide x = c.pair(i, 1), y = c.pair(i, 2);
  if (!carry_in && !i.has(Flag::CarryOut)) {
    if (is_wide) return c.setPair(d, subtract ? wide::sub(c.b, x, y) : wide::add(c.b, x, y));
    return c.setWord(d, subtract ? c.b.sub(x.low, y.low) : c.b.add(x.low, y.low));
  }
  // The flag of a subtraction is its borrow: the complement of the carry.
  Predicate in = carry_in ? c.carry() : Predicate::never();
  if (subtract) in = !in;
  const Sum s = sum(c.b, x, subtract ? complement(c.b, y) : y, in, is_wide);
  c.setPair(d, s.value);
  if (i.has(Flag::CarryOut)) c.setCarry(subtract ? !s.carry : s.carry);
}

namespace {

// The low or high half of the product of two numbers as wide as the type, or all of it.
Wide multiply(Context& c, const ptx::Instruction& i) {
  Builder& b = c.b;
  const bool is_signed = ptx::isSigned(i.type);
  const int bits = bitWidth(i.type);
  if (bits == 64) {
    const Wide x = c.pair(i, 1), y = c.pair(i, 2);
    return i.half == Half::Hi ? wide::mulHigh(b, x, y, is_signed) : wide::mul(b, x, y);
  }
  if (i.half == Half::Lo) return {b.mul(c.word(i, 1), c.word(i, 2)), b.zero()};
  const Id x = c.extended(i, 1, i.type), y = c.extended(i, 2, i.type);
  if (bits == 16) {
    const Id all = b.mul(x, y);
    return {i.half == Half::Hi ? b.shiftRightBy(all, 16) : all, b.zero()};
  }
  const Wide all = wide::product(b, x, y, is_signed);
  return i.half == Half::Hi ? Wide{all.high, b.zero()} : all;
}

// mul24 and mad24: the low 24 bits as numbers; .hi takes bits 16 to 47 of the product.
Wide multiply24(Context& c, const ptx::Instruction& i) {
  Builder& b = c.b;
  const bool is_signed = ptx::isSigned(i.type);
  const auto narrow = [&](Id x) {
    return is_signed ? b.extendSigned(x, 24) : b.extendUnsigned(x, 24);
  };
  const Id x = narrow(c.word(i, 1)), y = narrow(c.word(i, 2));
  if (i.half == Half::Lo) return {b.mul(x, y), b.zero()};
  const Wide all = wide::product(b, x, y, is_signed);
  return {b.bitOr(b.shiftRightBy(all.low, 16), b.shiftLeftBy(all.high, 16)), b.zero()};
}

}  // namespace

void translateProduct(Context& c, const ptx::Instruction& i) {
  using ptx::Opcode;
  const bool is_24 = i.opcode == Opcode::Mul24 || i.opcode == Opcode::Mad24;
  const bool adds = i.opcode != Opcode::Mul && i.opcode != Opcode::Mul24;
  const Wide product = is_24 ? multiply24(c, i) : multiply(c, i);
  const ptx::Operand& d = i.operands[0];
  if (!adds) return c.setPair(d, product);
  const bool is_wide = bitWidth(i.type) == 64 || (i.half == Half::Wide && bitWidth(i.type) == 32);
  const Wide addend = c.pair(i, 3);
  if (i.has(Flag::Saturate)) return c.setWord(d, saturated(c.b, product.low, addend.low, false));
  const bool carry_in = i.opcode == Opcode::Madc;
  if (!carry_in && !i.has(Flag::CarryOut)) {
    if (is_wide) return c.setPair(d, wide::add(c.b, product, addend));
    return c.setWord(d, c.b.add(product.low, addend.low));
  }
  const Sum s = sum(c.b, product, addend, carry_in ? c.carry() : Predicate::never(), is_wide);
  c.setPair(d, s.value);
  if (i.has(Flag::CarryOut)) c.setCarry(s.carry);
}

void translateChoice(Context& c, const ptx::Instruction& i) {
  const bool smaller = i.opcode == ptx::Opcode::Min;
  const bool is_signed = ptx::isSigned(i.type);
  const ptx::Operand& d = i.operands[0];
  if (i.type == ptx::Type::U16x2 || i.type == ptx::Type::S16x2)
    return c.unsupportedResults(i, "two 16-bit numbers in a word (" + nameOf(i) + ")",
                                "compare them one by one");
  if (bitWidth(i.type) == 64) {
    const Wide x = c.pair(i, 1), y = c.pair(i, 2);
    const Predicate less =
        smaller ? wide::less(c.b, x, y, is_signed) : wide::less(c.b, y, x, is_signed);
    return c.setPair(d, wide::select(c.b, less, x, y));
  }
  const Opcode op =
      is_signed ? (smaller ? Opcode::Min : Opcode::Max) : (smaller ? Opcode::Minu : Opcode::Maxu);
  Id result = c.b.operation(op, c.extended(i, 1, i.type), c.extended(i, 2, i.type));
  if (i.has(Flag::Relu)) result = c.b.operation(Opcode::Max, result, c.b.zero());
  c.setWord(d, result);
}

namespace {

Id absolute(Builder& b, Id x) { return b.operation(Opcode::Max, x, b.negate(x)); }

Wide absoluteDifference(Builder& b, Wide x, Wide y, bool is_signed) {
  const Predicate less = wide::less(b, x, y, is_signed);
  return wide::select(b, less, wide::sub(b, y, x), wide::sub(b, x, y));
}

}  // namespace

void translateSigned(Context& c, const ptx::Instruction& i) {
  Builder& b = c.b;
  const ptx::Operand& d = i.operands[0];
  const bool is_wide = bitWidth(i.type) == 64;
  if (i.opcode == ptx::Opcode::Sad) {
    const bool is_signed = ptx::isSigned(i.type);
    if (is_wide) {
      const Wide distance = absoluteDifference(b, c.pair(i, 1), c.pair(i, 2), is_signed);
      return c.setPair(d, wide::add(b, distance, c.pair(i, 3)));
    }
    const Id x = c.extended(i, 1, i.type), y = c.extended(i, 2, i.type);
    const Opcode least = is_signed ? Opcode::Min : Opcode::Minu;
    const Opcode most = is_signed ? Opcode::Max : Opcode::Maxu;
    const Id distance = b.sub(b.operation(most, x, y), b.operation(least, x, y));
    return c.setWord(d, b.add(distance, c.word(i, 3)));
  }
  const bool negate = i.opcode == ptx::Opcode::Neg;
  if (is_wide) {
    const Wide x = c.pair(i, 1), negative = wide::negate(b, x);
    if (negate) return c.setPair(d, negative);
    const Predicate below = b.compare(Compare::Lt, x.high, b.zero());
    return c.setPair(d, wide::select(b, below, negative, x));
  }
  if (negate) return c.setWord(d, b.negate(c.word(i, 1)));
  c.setWord(d, absolute(b, c.extended(i, 1, i.type)));
}

void translateDotProduct(Context& c, const ptx::Instruction& i) {
  Builder& b = c.b;
  // The parts of a: four bytes, or two halves. dp2a takes the low or the high two bytes of b.
  const bool bytes = i.opcode == ptx::Opcode::Dp4a;
  const int count = bytes ? 4 : 2;
  const auto part = [&](Id word, int bits, int number, ptx::Type type) {
    const Id shifted = b.shiftRightBy(word, static_cast<std::uint32_t>(bits * number));
    return ptx::isSigned(type) ? b.extendSigned(shifted, bits) : b.extendUnsigned(shifted, bits);
  };
  const Id x = c.word(i, 1), y = c.word(i, 2);
  const int first = !bytes && i.half == Half::Hi ? 2 : 0;
  Id total = c.word(i, 3);
  for (int n = 0; n < count; ++n)
    total = b.mad(part(x, bytes ? 8 : 16, n, i.type), part(y, 8, first + n, i.source_type), total);
  c.setWord(i.operands[0], total);
}

}  // namespace qgpu::lower
