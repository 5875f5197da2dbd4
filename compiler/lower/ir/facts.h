// What is known about a word before the kernel runs: bits that are always 0, and how many of its
// upper bits equal its sign.
//
//   facts(f, f.special(isa::Special::Tid)).zeros      // ~31 in a block of 32 threads
//   facts(f, x).fitsSigned(16)                        // a sign extension from 16 bits changes
//   nothing
#pragma once

#include <bit>
#include <cstdint>

#include "compiler/lower/ir/ir.h"

namespace qgpu::lower {

struct Facts {
  std::uint32_t zeros = 0;
  int sign_bits = 1;  // the top `sign_bits` bits are equal

  // The largest unsigned value the bits allow.
  std::uint32_t most() const { return ~zeros; }
  bool fitsUnsigned(int bits) const { return bits >= 32 || (most() >> bits) == 0; }
  bool fitsSigned(int bits) const { return sign_bits > 32 - bits; }
  bool isNonNegative() const { return (zeros >> 31) != 0; }
  int trailingZeros() const { return std::countr_one(zeros); }
};

// Looks a few operations deep; cheap, and never wrong.
Facts facts(const Function& f, Id word);

}  // namespace qgpu::lower
