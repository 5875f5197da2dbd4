#include "interpreter/testing/plain_clauses.h"

#include <limits>

namespace qgpu::isatest {
namespace {

using isa::Compare;
using isa::Opcode;

using Wide = long long;
using WideUnsigned = unsigned long long;

constexpr Wide kTwo32 = 1LL << 32;

Wide number(std::uint32_t x) { return x; }
// Two's complement, without a cast that says so.
Wide signedNumber(std::uint32_t x) { return x < 0x80000000u ? number(x) : number(x) - kTwo32; }
std::uint32_t modulo(Wide x) {
  return static_cast<std::uint32_t>(((x % kTwo32) + kTwo32) % kTwo32);
}
Wide floorShift(Wide x, int n) {
  const Wide divisor = 1LL << n;
  const Wide quotient = x / divisor;
  return x % divisor < 0 ? quotient - 1 : quotient;
}

bool related(Compare compare, Wide a, Wide b, Wide a_unsigned, Wide b_unsigned) {
  switch (compare) {
    case Compare::Eq: return a == b;
    case Compare::Ne: return a != b;
    case Compare::Lt: return a < b;
    case Compare::Ge: return a >= b;
    case Compare::Ltu:
    case Compare::NoCarry: return a_unsigned < b_unsigned;
    case Compare::Geu:
    case Compare::Carry: return a_unsigned >= b_unsigned;
  }
  return false;
}

PlainOut add(const PlainIn& x, Wide carry) {
  const Wide sum = number(x.a) + number(x.b) + carry;
  PlainOut out{modulo(sum), false};
  if (x.compare == Compare::Carry) out.p = sum >= kTwo32;
  if (x.compare == Compare::NoCarry) out.p = sum < kTwo32;
  return out;
}

PlainOut subtract(const PlainIn& x, Wide borrow) {
  const Wide subtrahend = signedNumber(x.b) + borrow, subtrahend_unsigned = number(x.b) + borrow;
  return {modulo(number(x.a) - number(x.b) - borrow),
          related(x.compare, signedNumber(x.a), subtrahend, number(x.a), subtrahend_unsigned)};
}

std::uint32_t bitwise(std::uint32_t a, std::uint32_t b, bool (*rule)(bool, bool)) {
  std::uint32_t r = 0;
  for (int i = 31; i >= 0; --i)
    r = 2 * r + (rule(((a >> i) & 1) == 1, ((b >> i) & 1) == 1) ? 1 : 0);
  return r;
}
bool both(bool a, bool b) { return a && b; }
bool either(bool a, bool b) { return a || b; }
bool differ(bool a, bool b) { return a != b; }
bool firstOnly(bool a, bool b) { return a && !b; }

// Byte i of the word, 0 to 3.
int byteOf(std::uint32_t word, int i) {
  return static_cast<int>(number(word) / (Wide{1} << (8 * i)) % 256);
}
std::uint32_t fromBytes(int b0, int b1, int b2, int b3) {
  return static_cast<std::uint32_t>(b0) + (static_cast<std::uint32_t>(b1) << 8) +
         (static_cast<std::uint32_t>(b2) << 16) + (static_cast<std::uint32_t>(b3) << 24);
}

std::uint32_t permuted(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  std::array<int, 4> out{};
  for (int i = 0; i < 4; ++i) {
    const auto nibble = static_cast<int>((selector >> (4 * i)) % 16);
    const int chosen = nibble % 8;
    const int byte = chosen < 4 ? byteOf(a, chosen) : byteOf(b, chosen - 4);
    out[static_cast<std::size_t>(i)] = nibble < 8 ? byte : byte >= 128 ? 255 : 0;
  }
  return fromBytes(out[0], out[1], out[2], out[3]);
}

// The bytes of a word from `first` on, as one number.
Wide piece(std::uint32_t word, int first, int bytes) {
  Wide value = 0;
  for (int i = bytes - 1; i >= 0; --i) value = value * 256 + byteOf(word, first + i);
  return value;
}
std::uint32_t withPiece(std::uint32_t word, int first, int bytes, std::uint32_t value) {
  std::array<int, 4> all{};
  for (int i = 0; i < 4; ++i) {
    const bool replaced = i >= first && i < first + bytes;
    all[static_cast<std::size_t>(i)] = replaced ? byteOf(value, i - first) : byteOf(word, i);
  }
  return fromBytes(all[0], all[1], all[2], all[3]);
}
std::uint32_t signedPiece(std::uint32_t word, int first, int bytes) {
  const Wide value = piece(word, first, bytes), half = 1LL << (8 * bytes - 1);
  return modulo(value >= half ? value - 2 * half : value);
}

int onesIn(std::uint32_t x) {
  int n = 0;
  for (; x != 0; x /= 2) n += static_cast<int>(x % 2);
  return n;
}
int zerosAbove(std::uint32_t x) {
  int n = 32;
  for (; x != 0; x /= 2) --n;
  return n;
}
std::uint32_t mirrored(std::uint32_t x) {
  std::uint32_t r = 0;
  for (int i = 0; i < 32; ++i, x /= 2) r = r * 2 + x % 2;
  return r;
}
std::uint32_t rotated(std::uint32_t x, std::uint32_t n) {
  for (n %= 32; n > 0; --n) x = x * 2 + x / 0x80000000u;
  return x;
}

std::uint32_t smaller(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }
std::uint32_t larger(std::uint32_t a, std::uint32_t b) { return a < b ? b : a; }
std::uint32_t smallerSigned(std::uint32_t a, std::uint32_t b) {
  return signedNumber(a) < signedNumber(b) ? a : b;
}
std::uint32_t largerSigned(std::uint32_t a, std::uint32_t b) {
  return signedNumber(a) < signedNumber(b) ? b : a;
}

std::uint32_t quotient(const PlainIn& x, bool is_signed) {
  if (x.b == 0) return std::numeric_limits<std::uint32_t>::max();
  return is_signed ? modulo(signedNumber(x.a) / signedNumber(x.b)) : x.a / x.b;
}
std::uint32_t remainder(const PlainIn& x, bool is_signed) {
  if (x.b == 0) return std::numeric_limits<std::uint32_t>::max();
  return is_signed ? modulo(signedNumber(x.a) % signedNumber(x.b)) : x.a % x.b;
}

std::uint32_t highOfProduct(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(WideUnsigned{a} * WideUnsigned{b} / (1ULL << 32));
}
std::uint32_t highOfSignedProduct(std::uint32_t a, std::uint32_t b) {
  return modulo(floorShift(signedNumber(a) * signedNumber(b), 32));
}

std::optional<PlainOut> arithmetic(Opcode op, const PlainIn& x) {
  switch (op) {
    case Opcode::Nop: return PlainOut{};
    case Opcode::Mov: return PlainOut{x.b};
    case Opcode::Add: return add(x, 0);
    case Opcode::Addc: return add(x, x.guard ? 1 : 0);
    case Opcode::Sub: return subtract(x, 0);
    case Opcode::Subc: return subtract(x, x.guard ? 0 : 1);
    case Opcode::Setp: return PlainOut{0, subtract(x, 0).p};
    case Opcode::Mad: return PlainOut{x.a * x.b + x.c};
    case Opcode::Madh: return PlainOut{highOfSignedProduct(x.a, x.b) + x.c};
    case Opcode::Madhu: return PlainOut{highOfProduct(x.a, x.b) + x.c};
    case Opcode::And: return PlainOut{bitwise(x.a, x.b, both)};
    case Opcode::Or: return PlainOut{bitwise(x.a, x.b, either)};
    case Opcode::Xor: return PlainOut{bitwise(x.a, x.b, differ)};
    case Opcode::Andn: return PlainOut{bitwise(x.a, x.b, firstOnly)};
    case Opcode::Shl: return PlainOut{x.b > 31 ? 0 : modulo(number(x.a) * (1LL << x.b))};
    case Opcode::Shr: return PlainOut{x.b > 31 ? 0 : modulo(number(x.a) / (1LL << x.b))};
    case Opcode::Sar:
      return PlainOut{modulo(floorShift(signedNumber(x.a), x.b > 31 ? 31 : static_cast<int>(x.b)))};
    case Opcode::Rotl: return PlainOut{rotated(x.a, x.b)};
    case Opcode::Min: return PlainOut{smallerSigned(x.a, x.b)};
    case Opcode::Max: return PlainOut{largerSigned(x.a, x.b)};
    case Opcode::Minu: return PlainOut{smaller(x.a, x.b)};
    case Opcode::Maxu: return PlainOut{larger(x.a, x.b)};
    case Opcode::Pand: return PlainOut{0, both(x.guard, x.second)};
    case Opcode::Por: return PlainOut{0, either(x.guard, x.second)};
    case Opcode::Pxor: return PlainOut{0, differ(x.guard, x.second)};
    case Opcode::Popc: return PlainOut{static_cast<std::uint32_t>(onesIn(x.a))};
    case Opcode::Clz: return PlainOut{static_cast<std::uint32_t>(zerosAbove(x.a))};
    case Opcode::Brev: return PlainOut{mirrored(x.a)};
    case Opcode::Prmt: return PlainOut{permuted(x.a, x.b, x.c)};
    case Opcode::Div: return PlainOut{quotient(x, true)};
    case Opcode::Divu: return PlainOut{quotient(x, false)};
    case Opcode::Quo: return PlainOut{quotient(x, x.guard)};
    case Opcode::Rem: return PlainOut{remainder(x, x.guard)};
    default: return std::nullopt;
  }
}

std::optional<PlainOut> memory(Opcode op, const PlainIn& x) {
  switch (op) {
    case Opcode::Ldb: return PlainOut{modulo(piece(x.b, x.byte, 1))};
    case Opcode::Ldbs: return PlainOut{signedPiece(x.b, x.byte, 1)};
    case Opcode::Ldh: return PlainOut{modulo(piece(x.b, x.byte / 2 * 2, 2))};
    case Opcode::Ldhs: return PlainOut{signedPiece(x.b, x.byte / 2 * 2, 2)};
    case Opcode::St: return PlainOut{x.c};
    case Opcode::AtomAdd: return PlainOut{modulo(number(x.b) + number(x.c))};
    case Opcode::AtomMin: return PlainOut{smallerSigned(x.b, x.c)};
    case Opcode::AtomMax: return PlainOut{largerSigned(x.b, x.c)};
    case Opcode::AtomMinu: return PlainOut{smaller(x.b, x.c)};
    case Opcode::AtomMaxu: return PlainOut{larger(x.b, x.c)};
    case Opcode::AtomAnd: return PlainOut{bitwise(x.b, x.c, both)};
    case Opcode::AtomOr: return PlainOut{bitwise(x.b, x.c, either)};
    case Opcode::AtomXor: return PlainOut{bitwise(x.b, x.c, differ)};
    case Opcode::AtomExch: return PlainOut{x.c};
    case Opcode::AtomCas: return PlainOut{x.b == x.a ? x.c : x.b};
    case Opcode::Stb: return PlainOut{withPiece(x.b, x.byte, 1, x.c)};
    case Opcode::Sth: return PlainOut{withPiece(x.b, x.byte / 2 * 2, 2, x.c)};
    default: return std::nullopt;
  }
}

}  // namespace

PlainKind plainKind(Opcode op) {
  PlainKind kind;
  switch (op) {
    case Opcode::Nop: kind.result = false; break;
    case Opcode::Add:
    case Opcode::Sub: kind.predicate = true; break;
    case Opcode::Addc:
    case Opcode::Subc: kind.predicate = kind.guard_is_input = true; break;
    case Opcode::Setp:
      kind.result = false;
      kind.predicate = true;
      break;
    case Opcode::Mad:
    case Opcode::Madh:
    case Opcode::Madhu:
    case Opcode::Prmt: kind.c_is_operand = true; break;
    case Opcode::Pand:
    case Opcode::Por:
    case Opcode::Pxor:
    case Opcode::VoteAny:
    case Opcode::VoteAll:
    case Opcode::VoteUni:
      kind.result = false;
      kind.predicate = kind.guard_is_input = true;
      break;
    case Opcode::Ballot: kind.guard_is_input = true; break;
    case Opcode::ShflIdx:
    case Opcode::ShflUp:
    case Opcode::ShflDown:
    case Opcode::ShflXor: kind.predicate = true; break;
    case Opcode::Ldb:
    case Opcode::Ldbs: kind.memory = MemoryKind::Load, kind.width = 1; break;
    case Opcode::Ldh:
    case Opcode::Ldhs: kind.memory = MemoryKind::Load, kind.width = 2; break;
    case Opcode::St:
      kind.result = false;
      kind.c_is_operand = true;
      kind.memory = MemoryKind::Store;
      break;
    case Opcode::AtomAdd:
      kind.c_is_operand = true;
      kind.memory = MemoryKind::Add;
      break;
    case Opcode::AtomMin:
    case Opcode::AtomMax:
    case Opcode::AtomMinu:
    case Opcode::AtomMaxu:
    case Opcode::AtomAnd:
    case Opcode::AtomOr:
    case Opcode::AtomXor:
    case Opcode::AtomExch:
    case Opcode::AtomCas:
      kind.c_is_operand = true;
      kind.memory = MemoryKind::Replay;
      break;
    case Opcode::Stb:
    case Opcode::Sth:
      kind.result = false;
      kind.c_is_operand = true;
      kind.memory = MemoryKind::Replay;
      kind.width = op == Opcode::Stb ? 1 : 2;
      break;
    case Opcode::Div:
    case Opcode::Divu: kind.result = false; break;
    default: break;
  }
  return kind;
}

bool plainPredicate(const isa::Slot& slot) {
  if (slot.op == Opcode::Add || slot.op == Opcode::Addc)
    return slot.compare == Compare::Carry || slot.compare == Compare::NoCarry;
  if (slot.op == Opcode::Subc) return slot.compare != Compare::Eq;
  return plainKind(slot.op).predicate;
}

std::optional<PlainOut> plainLane(Opcode op, const PlainIn& in) {
  if (const auto out = arithmetic(op, in)) return out;
  return memory(op, in);
}

std::optional<PlainWarpOut> plainShuffle(Opcode op, const PlainLanes& a, const PlainLanes& b,
                                         int clamp, int segment) {
  PlainWarpOut out;
  for (int lane = 0; lane < 4; ++lane) {
    const auto amount = static_cast<int>(b[static_cast<std::size_t>(lane)] % 32);
    // The PTX manual's pseudocode, with two-bit lane numbers.
    const int max_lane = (lane & segment) | (clamp & (3 - segment));
    const int min_lane = lane & segment;
    int from = 0;
    bool in_range = false;
    switch (op) {
      case Opcode::ShflUp: in_range = (from = lane - amount) >= max_lane; break;
      case Opcode::ShflDown: in_range = (from = lane + amount) <= max_lane; break;
      case Opcode::ShflXor: in_range = (from = lane ^ amount) <= max_lane; break;
      case Opcode::ShflIdx:
        from = min_lane | (amount % 4 & (3 - segment));
        in_range = from <= max_lane;
        break;
      default: return std::nullopt;
    }
    out.r[static_cast<std::size_t>(lane)] = a[static_cast<std::size_t>(in_range ? from : lane)];
    out.p[static_cast<std::size_t>(lane)] = in_range;
  }
  return out;
}

std::optional<PlainWarpOut> plainVote(Opcode op, const PlainBits& votes, const PlainBits& running) {
  int yes = 0, no = 0;
  std::uint32_t ballot = 0;
  for (std::size_t lane = 0; lane < 4; ++lane) {
    if (!running[lane]) continue;
    ++(votes[lane] ? yes : no);
    if (votes[lane]) ballot += 1u << lane;
  }
  PlainWarpOut out;
  switch (op) {
    case Opcode::VoteAny: out.p.fill(yes > 0); break;
    case Opcode::VoteAll: out.p.fill(no == 0); break;
    case Opcode::VoteUni: out.p.fill(yes == 0 || no == 0); break;
    case Opcode::Ballot: out.r.fill(ballot); break;
    default: return std::nullopt;
  }
  return out;
}

PlainWarpOut plainWarp(Opcode op, const PlainWarpIn& in) {
  PlainLanes a{}, b{};
  PlainBits votes{};
  for (std::size_t lane = 0; lane < 4; ++lane) {
    a[lane] = in.lanes[lane].a;
    b[lane] = in.lanes[lane].b;
    votes[lane] = in.lanes[lane].guard;
  }
  if (const auto out = plainShuffle(op, a, b, in.clamp, in.segment)) return *out;
  if (const auto out = plainVote(op, votes, in.running)) return *out;
  PlainWarpOut out;
  for (std::size_t lane = 0; lane < 4; ++lane) {
    const PlainOut alone = plainLane(op, in.lanes[lane]).value_or(PlainOut{});
    out.r[lane] = alone.r;
    out.p[lane] = alone.p;
  }
  return out;
}

}  // namespace qgpu::isatest
