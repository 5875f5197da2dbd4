#include "fuzz/ptx/meaning.h"

#include <algorithm>
#include <bit>
#include <string>

namespace qgpu::fuzz::ptxlevel {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;
using Word = std::uint64_t;
using Wide = unsigned __int128;

Word low(Word x, int bits) { return bits >= 64 ? x : x & ((Word{1} << bits) - 1); }
std::int64_t extended(Word x, int bits) {
  const int unused = 64 - bits;
  return static_cast<std::int64_t>(x << unused) >> unused;
}

// A value of a type: signed types are sign-extended.
struct Typed {
  explicit Typed(Type t) : bits(ptx::bitWidth(t)), is_signed(ptx::isSigned(t)) {}
  int bits;
  bool is_signed;

  __int128 of(Word x) const {
    return is_signed ? __int128{extended(x, bits)} : static_cast<__int128>(low(x, bits));
  }
  bool less(Word x, Word y) const { return of(x) < of(y); }
};

bool holds(ptx::Compare relation, Type type, Word x, Word y) {
  using ptx::Compare;
  Typed typed(type);
  if (relation == Compare::Lo || relation == Compare::Ls || relation == Compare::Hi ||
      relation == Compare::Hs)
    typed.is_signed = false;
  const __int128 a = typed.of(x), b = typed.of(y);
  switch (relation) {
    case Compare::Eq: return a == b;
    case Compare::Ne: return a != b;
    case Compare::Lt:
    case Compare::Lo: return a < b;
    case Compare::Le:
    case Compare::Ls: return a <= b;
    case Compare::Gt:
    case Compare::Hi: return a > b;
    default: return a >= b;
  }
}

bool joined(ptx::Boolean op, bool relation, bool c) {
  switch (op) {
    case ptx::Boolean::And: return relation && c;
    case ptx::Boolean::Or: return relation || c;
    case ptx::Boolean::Xor: return relation != c;
    default: return relation;
  }
}

Result sum(const Instruction& i, const Operands& x) {
  const int bits = ptx::bitWidth(i.type);
  const bool subtracts = i.opcode == Opcode::Sub || i.opcode == Opcode::Subc;
  const bool takes = i.opcode == Opcode::Addc || i.opcode == Opcode::Subc;
  if (i.has(ptx::Flag::Saturate)) {  // s32 alone has it
    const std::int64_t a = extended(x.a, 32), b = extended(x.b, 32);
    const std::int64_t exact = subtracts ? a - b : a + b;
    return {low(static_cast<Word>(std::clamp<std::int64_t>(exact, INT32_MIN, INT32_MAX)), 32)};
  }
  const Wide a = low(x.a, bits), b = low(x.b, bits), in = takes && x.carry ? 1 : 0;
  const Wide exact = subtracts ? a - b - in : a + b + in;
  return {low(static_cast<Word>(exact), bits), false, static_cast<bool>(exact >> bits & 1)};
}

// mul and mad; of a wide product all bits are the result.
Word product(const Instruction& i, const Operands& x, Word added) {
  const Typed typed(i.type);
  const bool narrow = i.opcode == Opcode::Mul24 || i.opcode == Opcode::Mad24;
  const auto part = [&](Word v) {
    if (!narrow) return typed.of(v);
    return typed.is_signed ? __int128{extended(v, 24)} : static_cast<__int128>(low(v, 24));
  };
  const auto exact = static_cast<Wide>(part(x.a) * part(x.b));
  if (i.half == ptx::Half::Wide) return low(static_cast<Word>(exact) + added, 2 * typed.bits);
  const int shift = i.half == ptx::Half::Hi ? (narrow ? 16 : typed.bits) : 0;
  return low(static_cast<Word>(exact >> shift) + added, typed.bits);
}

Expected<Result> quotient(const Instruction& i, const Operands& x) {
  const Typed typed(i.type);
  const __int128 a = typed.of(x.a), b = typed.of(x.b);
  if (b == 0) return refuse("a division by zero");
  const __int128 q = i.opcode == Opcode::Div ? a / b : a % b;
  if (typed.is_signed && b == -1 && a == -(__int128{1} << (typed.bits - 1)))
    return refuse("a quotient that has no room");
  return Result{low(static_cast<Word>(q), typed.bits)};
}

Word shifted(const Instruction& i, const Operands& x) {
  const int bits = ptx::bitWidth(i.type);
  const Word amount = low(x.b, 32);
  if (i.opcode == Opcode::Shl)
    return amount >= static_cast<Word>(bits) ? 0 : low(x.a << amount, bits);
  const __int128 value = Typed(i.type).of(x.a);
  return low(static_cast<Word>(value >> std::min<Word>(amount, static_cast<Word>(bits))), bits);
}

Word funnel(const Instruction& i, const Operands& x) {
  const Word pair = low(x.b, 32) << 32 | low(x.a, 32);
  const Word amount = low(x.c, 32);
  const Word n = i.bound == ptx::Bound::Clamp ? std::min<Word>(amount, 32) : amount & 31;
  if (i.direction == ptx::Direction::Left) return n == 32 ? low(x.a, 32) : low(pair << n >> 32, 32);
  return low(pair >> n, 32);
}

Word extracted(const Instruction& i, const Operands& x) {
  const Typed typed(i.type);
  const int position = static_cast<int>(x.b & 255), length = static_cast<int>(x.c & 255);
  const int top = typed.bits - 1;
  const bool sign =
      typed.is_signed && length > 0 && (x.a >> std::min(position + length - 1, top) & 1) != 0;
  Word result = 0;
  for (int bit = 0; bit <= top; ++bit) {
    const bool inside = bit < length && position + bit <= top;
    const bool value = inside ? (x.a >> (position + bit) & 1) != 0 : sign;
    result |= Word{value} << bit;
  }
  return result;
}

Word inserted(const Instruction& i, const Operands& x) {
  const int bits = ptx::bitWidth(i.type);
  const int position = static_cast<int>(x.c & 255), length = static_cast<int>(x.d & 255);
  Word result = low(x.b, bits);
  for (int bit = 0; bit < length && position + bit < bits; ++bit) {
    const Word mask = Word{1} << (position + bit);
    result = (x.a >> bit & 1) != 0 ? result | mask : result & ~mask;
  }
  return result;
}

Word highestBit(const Instruction& i, const Operands& x) {
  const Typed typed(i.type);
  const Word value = typed.of(x.a) < 0 ? low(~x.a, typed.bits) : low(x.a, typed.bits);
  if (value == 0) return low(~Word{0}, 32);
  const int position = 63 - std::countl_zero(value);
  return static_cast<Word>(i.has(ptx::Flag::ShiftAmount) ? typed.bits - 1 - position : position);
}

Word permuted(const Instruction& i, const Operands& x) {
  const Word pair = low(x.b, 32) << 32 | low(x.a, 32);
  const auto byte = [&](int n) { return pair >> (8 * (n & 7)) & 255; };
  const int s = static_cast<int>(x.c & 3);
  Word result = 0;
  for (int n = 0; n < 4; ++n) {
    Word part = 0;
    switch (i.permute) {
      case ptx::Permute::F4e: part = byte(s + n); break;
      case ptx::Permute::B4e: part = byte(s - n + 8); break;
      case ptx::Permute::Rc8: part = byte(s); break;
      case ptx::Permute::Ecl: part = byte(std::max(n, s)); break;
      case ptx::Permute::Ecr: part = byte(std::min(n, s)); break;
      case ptx::Permute::Rc16: part = byte((s & 1) * 2 + (n & 1)); break;
      case ptx::Permute::None: {
        const int nibble = static_cast<int>(x.c >> (4 * n) & 15);
        part = byte(nibble);
        if (nibble >= 8) part = (part & 128) != 0 ? 255 : 0;
      }
    }
    result |= part << (8 * n);
  }
  return result;
}

Word lookedUp(const Operands& x) {
  Word result = 0;
  for (int bit = 0; bit < 32; ++bit) {
    const Word row = (x.a >> bit & 1) << 2 | (x.b >> bit & 1) << 1 | (x.c >> bit & 1);
    result |= (x.d >> row & 1) << bit;
  }
  return result;
}

Word reversed(Word x, int bits) {
  Word result = 0;
  for (int bit = 0; bit < bits; ++bit) result |= (x >> bit & 1) << (bits - 1 - bit);
  return result;
}

Word converted(const Instruction& i, const Operands& x) {
  const Typed from(i.source_type), to(i.type);
  __int128 value = from.of(x.a);
  if (i.has(ptx::Flag::Saturate)) {
    const __int128 one = 1;
    const __int128 least = to.is_signed ? -(one << (to.bits - 1)) : 0;
    const __int128 most = (to.is_signed ? one << (to.bits - 1) : one << to.bits) - 1;
    value = std::clamp(value, least, most);
  }
  // A register wider than the type keeps the value: sign-extended where the type is signed.
  return static_cast<Word>(value);
}

Word dotProduct(const Instruction& i, const Operands& x) {
  const auto part = [](Word v, int n, Type type) {
    const Word byte = v >> (8 * n) & 255;
    return ptx::isSigned(type) ? extended(byte, 8) : static_cast<std::int64_t>(byte);
  };
  auto total = static_cast<std::int64_t>(x.c);
  for (int n = 0; n < 4; ++n) total += part(x.a, n, i.type) * part(x.b, n, i.source_type);
  return low(static_cast<Word>(total), 32);
}

Word distance(const Instruction& i, const Operands& x) {
  const Typed typed(i.type);
  const __int128 a = typed.of(x.a), b = typed.of(x.b);
  return low(static_cast<Word>((a < b ? b - a : a - b)) + x.c, typed.bits);
}

}  // namespace

Expected<Result> compute(const Instruction& i, const Operands& x) {
  const Typed typed(i.type);
  const int bits = typed.bits;
  const auto give = [&](Word value) { return Result{low(value, bits)}; };
  switch (i.opcode) {
    case Opcode::Add:
    case Opcode::Addc:
    case Opcode::Sub:
    case Opcode::Subc: return sum(i, x);
    case Opcode::Mul:
    case Opcode::Mul24: return Result{product(i, x, 0)};
    case Opcode::Mad:
    case Opcode::Mad24: return Result{product(i, x, x.c)};
    case Opcode::Div:
    case Opcode::Rem: return quotient(i, x);
    case Opcode::Sad: return Result{distance(i, x)};
    case Opcode::Abs: return give(typed.of(x.a) < 0 ? 0 - x.a : x.a);
    case Opcode::Neg: return give(0 - x.a);
    case Opcode::Min: return give(typed.less(x.a, x.b) ? x.a : x.b);
    case Opcode::Max: return give(typed.less(x.a, x.b) ? x.b : x.a);
    case Opcode::Popc: return Result{static_cast<Word>(std::popcount(low(x.a, bits)))};
    case Opcode::Clz:
      return Result{static_cast<Word>(std::countl_zero(low(x.a, bits)) - (64 - bits))};
    case Opcode::Bfind: return Result{highestBit(i, x)};
    case Opcode::Brev: return Result{reversed(x.a, bits)};
    case Opcode::Bfe: return Result{extracted(i, x)};
    case Opcode::Bfi: return Result{inserted(i, x)};
    case Opcode::Dp4a: return Result{dotProduct(i, x)};
    case Opcode::And: return give(x.a & x.b);
    case Opcode::Or: return give(x.a | x.b);
    case Opcode::Xor: return give(x.a ^ x.b);
    case Opcode::Not: return give(~x.a);
    case Opcode::Cnot: return give(low(x.a, bits) == 0 ? 1 : 0);
    case Opcode::Lop3: return Result{lookedUp(x)};
    case Opcode::Shl:
    case Opcode::Shr: return Result{shifted(i, x)};
    case Opcode::Shf: return Result{funnel(i, x)};
    case Opcode::Prmt: return Result{permuted(i, x)};
    case Opcode::Mov: return give(x.a);
    case Opcode::Cvt: return Result{converted(i, x)};
    case Opcode::Selp: return give((x.c & 1) != 0 ? x.a : x.b);
    case Opcode::Slct: return give(extended(x.c, 32) >= 0 ? x.a : x.b);
    case Opcode::Setp: {
      const bool relation = holds(i.compare, i.type, x.a, x.b);
      return Result{Word{joined(i.boolean, relation, (x.c & 1) != 0)},
                    joined(i.boolean, !relation, (x.c & 1) != 0)};
    }
    case Opcode::Set: {
      const bool relation = holds(i.compare, i.source_type, x.a, x.b);
      return give(joined(i.boolean, relation, (x.c & 1) != 0) ? ~Word{0} : 0);
    }
    default: return refuse("an instruction that random PTX does not have");
  }
}

std::uint64_t combine(const Instruction& i, std::uint64_t old, std::uint64_t b, std::uint64_t c) {
  const Typed typed(i.type);
  const Word was = low(old, 32), value = low(b, 32);
  switch (i.operation) {
    case ptx::Operation::And: return was & value;
    case ptx::Operation::Or: return was | value;
    case ptx::Operation::Xor: return was ^ value;
    case ptx::Operation::Exch: return value;
    case ptx::Operation::Add: return low(was + value, 32);
    case ptx::Operation::Inc: return was >= value ? 0 : was + 1;
    case ptx::Operation::Dec: return was == 0 || was > value ? value : was - 1;
    case ptx::Operation::Min: return typed.less(was, value) ? was : value;
    case ptx::Operation::Max: return typed.less(was, value) ? value : was;
    case ptx::Operation::Cas: return was == value ? low(c, 32) : was;
    default: bug("an atomic operation of random PTX");
  }
}

}  // namespace qgpu::fuzz::ptxlevel
