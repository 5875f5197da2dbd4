// The CUDA integer functions of the CPU runner against the compiler's own builtins and against
// arithmetic in wider types.
#include "conformance/cpu/include/integer_functions.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <numeric>

namespace {

RC_GTEST_PROP(IntegerFunctions, CountsAgreeWithTheCompilersBuiltins, (unsigned a, unsigned b)) {
  const unsigned x = b % 4 == 0 ? 1u << (a % 32) : a & b;
  const unsigned long long w = static_cast<unsigned long long>(a) << 32 | b;
  RC_ASSERT(__popc(x) == __builtin_popcount(x));
  RC_ASSERT(__popcll(w) == __builtin_popcountll(w));
  RC_ASSERT(__clz(static_cast<int>(x)) == std::countl_zero(x));
  RC_ASSERT(__clzll(static_cast<long long>(w)) == std::countl_zero(w));
  RC_ASSERT(__ffs(static_cast<int>(x)) == __builtin_ffs(static_cast<int>(x)));
  RC_ASSERT(__ffsll(static_cast<long long>(w)) == __builtin_ffsll(static_cast<long long>(w)));
}

TEST(IntegerFunctions, Edges) {
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__brev(1u), 0x80000000u);
  EXPECT_EQ(__brev(0x00f0u), 0x0f000000u);
  EXPECT_EQ(__mulhi(-2147483647 - 1, -2147483647 - 1), 1 << 30);
  EXPECT_EQ(__umulhi(0xffffffffu, 0xffffffffu), 0xfffffffeu);
  // Bit 23 of a 24-bit operand is its sign.
  EXPECT_EQ(__mul24(0x00ffffff, 5), -5);
  EXPECT_EQ(__umul24(0xff000003u, 5u), 15u);
  EXPECT_EQ(__byte_perm(0x03020100u, 0x07060504u, 0x0123u), 0x00010203u);
  EXPECT_EQ(__byte_perm(0x03020100u, 0x07060504u, 0x7531u), 0x07050301u);
  EXPECT_EQ(__funnelshift_lc(1u, 2u, 32u), 1u);
  EXPECT_EQ(__funnelshift_l(1u, 2u, 32u), 2u);
  EXPECT_EQ(__funnelshift_rc(1u, 2u, 99u), 2u);
  EXPECT_EQ(__hadd(-1, 0), -1);
  EXPECT_EQ(__rhadd(-1, 0), 0);
  EXPECT_EQ(__sad(-2147483647 - 1, 2147483647, 1u), 0u);
}

RC_GTEST_PROP(IntegerFunctions, ReversalIsItsOwnInverse, (unsigned x)) {
  RC_ASSERT(__brev(__brev(x)) == x);
  RC_ASSERT(__popc(__brev(x)) == __popc(x));
  if (x != 0) RC_ASSERT(__clz(static_cast<int>(__brev(x))) == __ffs(static_cast<int>(x)) - 1);
}

RC_GTEST_PROP(IntegerFunctions, FunnelsAreRotationsOfEqualWords,
              (unsigned x, unsigned y, unsigned s)) {
  RC_ASSERT(__funnelshift_l(x, x, s) == std::rotl(x, static_cast<int>(s % 32)));
  RC_ASSERT(__funnelshift_r(x, x, s) == std::rotr(x, static_cast<int>(s % 32)));
  RC_ASSERT(__uhadd(x, y) == std::midpoint(std::min(x, y), std::max(x, y)));
}

}  // namespace
