// The arithmetic the instruction rows are stated in. Plain functions on 32-bit words.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "interpreter/isa/table.h"

namespace qgpu::isa {

constexpr std::int32_t asSigned(std::uint32_t x) { return static_cast<std::int32_t>(x); }
constexpr std::uint32_t asWord(std::int32_t x) { return static_cast<std::uint32_t>(x); }

// What one lane's clause sees and says.
struct LaneIn {
  std::uint32_t a, b, c, byte;
  bool guard, second;
};
struct LaneOut {
  std::uint32_t r = 0;
  bool p = false;
};

// What the adder adds: a + b + carry. A subtraction a - x passes b = ~x and carry 1, or less with a
// borrow; the comparisons are then of a with x.
struct Sum {
  std::uint32_t a, b;
  bool carry;

  constexpr std::uint32_t word() const { return a + b + (carry ? 1 : 0); }
  constexpr bool equal() const { return a == ~b; }
  constexpr bool less() const { return std::int64_t{asSigned(a)} + asSigned(b) + carry < 0; }
  constexpr bool carryOut() const { return (std::uint64_t{a} + b + carry) >> 32 != 0; }
};

constexpr std::uint32_t highSigned(std::uint32_t a, std::uint32_t b) {
  const std::int64_t product = std::int64_t{asSigned(a)} * asSigned(b);
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(product) >> 32);
}
constexpr std::uint32_t highUnsigned(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32);
}

// Shifts clamp: an amount of 32 or more shifts everything out.
constexpr std::uint32_t shiftLeft(std::uint32_t a, std::uint32_t n) { return n < 32 ? a << n : 0; }
constexpr std::uint32_t shiftRight(std::uint32_t a, std::uint32_t n) { return n < 32 ? a >> n : 0; }
constexpr std::uint32_t shiftRightSigned(std::uint32_t a, std::uint32_t n) {
  return asWord(asSigned(a) >> std::min(n, 31u));
}

constexpr std::uint32_t reverseBits(std::uint32_t a) {
  std::uint32_t r = 0;
  for (int i = 0; i < 32; ++i) r |= (a >> i & 1) << (31 - i);
  return r;
}

// Byte i of the result is byte (selector nibble i) & 7 of the eight bytes b:a, or its sign spread
// over the byte where bit 3 of the nibble is set.
constexpr std::uint32_t permuteBytes(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  std::uint32_t r = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t nibble = selector >> (4 * i) & 15;
    const auto byte = static_cast<std::uint32_t>(bytes >> (8 * (nibble & 7)) & 255);
    const std::uint32_t spread = (byte & 128) != 0 ? 255 : 0;
    r |= ((nibble & 8) != 0 ? spread : byte) << (8 * i);
  }
  return r;
}

// Where the half word begins that holds a byte. A misaligned address faults, but its stage has a
// result all the same.
constexpr std::uint32_t halfAt(std::uint32_t byte) { return byte & 2; }

// The `bits` low bits of `word` from byte `at` up, and the word with them replaced.
constexpr std::uint32_t extract(std::uint32_t word, std::uint32_t at, int bits) {
  return word >> (8 * at) & ((1u << bits) - 1);
}
constexpr std::uint32_t extractSigned(std::uint32_t word, std::uint32_t at, int bits) {
  return asWord(asSigned(extract(word, at, bits) << (32 - bits)) >> (32 - bits));
}
constexpr std::uint32_t insert(std::uint32_t word, std::uint32_t at, int bits,
                               std::uint32_t value) {
  const std::uint32_t field = ((1u << bits) - 1) << (8 * at);
  return (word & ~field) | (value << (8 * at) & field);
}

// Division by zero gives all ones, and a remainder of all ones: what the code that ptxas makes for
// sm_75 gives. -2^31 / -1 is -2^31, remainder 0.
constexpr std::uint32_t quotientSigned(std::uint32_t a, std::uint32_t b) {
  if (b == 0) return ~0u;
  return static_cast<std::uint32_t>(std::int64_t{asSigned(a)} / asSigned(b));
}
constexpr std::uint32_t quotientUnsigned(std::uint32_t a, std::uint32_t b) {
  return b == 0 ? ~0u : a / b;
}
constexpr std::uint32_t remainderOf(std::uint32_t a, std::uint32_t b, std::uint32_t quotient) {
  return b == 0 ? ~0u : a - b * quotient;
}

// A shuffle's source lane for `lane` and whether it is in range (PTX ISA, shfl.sync, with two-bit
// lane numbers). `aux` holds the clamp in bits 0-1 and the segment mask in bits 2-3.
struct ShuffleRange {
  int segment, first, last;
  constexpr ShuffleRange(int lane, std::uint32_t aux)
      : segment(static_cast<int>(aux >> 2 & 3)),
        first(lane & segment),
        last(first | (static_cast<int>(aux & 3) & ~segment)) {}
};

}  // namespace qgpu::isa
