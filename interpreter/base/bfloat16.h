// bfloat16: the upper half of an IEEE binary32 (1 sign, 8 exponent, 7 fraction bits).
//
// Widening is exact. Narrowing rounds to the nearest value, ties to the even fraction; values
// beyond the largest finite bfloat16 become infinite, subnormals are kept, a NaN stays a NaN (made
// quiet). This is the rounding of every tensor library, so weights and activations agree with
// theirs bit for bit.
//
//   bfloat16 half = toBfloat16(0.1f);   // 0x3dcd
//   float value = toFloat(half);        // 0.100097656
//   float same = roundToBfloat16(0.1f); // the same, without leaving float
#pragma once

#include <bit>
#include <cstdint>

namespace qgpu {

// The bit pattern; arithmetic is done in float.
struct bfloat16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(bfloat16, bfloat16) = default;  // of the bits: -0 differs from 0
};
static_assert(sizeof(bfloat16) == 2);

constexpr float toFloat(bfloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

constexpr bfloat16 toBfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)  // a NaN: rounding could carry it into an infinity
    return {static_cast<std::uint16_t>((bits >> 16) | 0x40u)};
  const std::uint32_t tie_to_even = (bits >> 16) & 1u;
  return {static_cast<std::uint16_t>((bits + 0x7fffu + tie_to_even) >> 16)};
}

constexpr float roundToBfloat16(float value) { return toFloat(toBfloat16(value)); }

// True where narrowing loses nothing. A NaN is never representable.
constexpr bool isBfloat16(float value) { return roundToBfloat16(value) == value; }

}  // namespace qgpu
