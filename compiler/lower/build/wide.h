// 64-bit integers as pairs of words. Where nobody needs the upper word, as in addresses, its
// operations are dead and go away, and what stays is 32-bit arithmetic.
#pragma once

#include <cstdint>

#include "compiler/lower/ir/builder.h"

namespace qgpu::lower {

struct Wide {
  Id low = kNone;
  Id high = kNone;
};

namespace wide {

Wide constant(Builder& b, std::uint64_t value);
Wide fromUnsigned(Builder& b, Id word);
Wide fromSigned(Builder& b, Id word);
// Whether the pair is the sign extension, or the zero extension, of its low word for certain.
bool isSignExtended(const Function& f, Wide a);
bool isZeroExtended(const Function& f, Wide a);

Wide add(Builder& b, Wide x, Wide y);
Wide sub(Builder& b, Wide x, Wide y);
Wide negate(Builder& b, Wide x);
Wide mul(Builder& b, Wide x, Wide y);
Wide mulHigh(Builder& b, Wide x, Wide y, bool is_signed);
// 32 x 32 -> 64.
Wide product(Builder& b, Id x, Id y, bool is_signed);
Wide bitwise(Builder& b, isa::Opcode op, Wide x, Wide y);
Wide select(Builder& b, Predicate p, Wide x, Wide y);
// Amounts of 64 and more shift everything out.
Wide shiftLeft(Builder& b, Wide x, Id n);
Wide shiftRight(Builder& b, Wide x, Id n, bool is_signed);
Predicate equal(Builder& b, Wide x, Wide y);
Predicate less(Builder& b, Wide x, Wide y, bool is_signed);

}  // namespace wide
}  // namespace qgpu::lower
