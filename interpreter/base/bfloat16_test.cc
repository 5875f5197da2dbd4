#include "interpreter/base/bfloat16.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace qgpu {
namespace {

// The nearest bfloat16 by search among the two neighbours, in double: written from the definition
// of rounding, not from bit tricks.
bfloat16 nearestByDefinition(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const bfloat16 toward_zero{static_cast<std::uint16_t>(bits >> 16)};
  const bfloat16 away{static_cast<std::uint16_t>(toward_zero.bits + 1)};
  // Past the largest finite value the next pattern is infinity; rounding treats it as 2^128.
  const double away_value = std::isinf(toFloat(away)) ? std::copysign(std::ldexp(1.0, 128), value)
                                                      : static_cast<double>(toFloat(away));
  const double low = std::abs(static_cast<double>(value) - toFloat(toward_zero));
  const double high = std::abs(away_value - static_cast<double>(value));
  if (low != high) return low < high ? toward_zero : away;
  return toward_zero.bits % 2 == 0 ? toward_zero : away;
}

TEST(Bfloat16, EveryPatternSurvivesWideningAndNarrowing) {
  for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const bfloat16 value{static_cast<std::uint16_t>(pattern)};
    const float wide = toFloat(value);
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(roundToBfloat16(wide)));
      EXPECT_FALSE(isBfloat16(wide));
    } else {
      ASSERT_EQ(toBfloat16(wide), value) << pattern;
      ASSERT_TRUE(isBfloat16(wide));
    }
  }
}

TEST(Bfloat16, EveryTieAndItsNeighboursRoundAsDefined) {
  for (std::uint32_t upper = 0; upper < 0x10000; ++upper) {
    for (const std::uint32_t lower : {0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      const float value = std::bit_cast<float>((upper << 16) | lower);
      if (std::isnan(value) || std::isinf(value)) continue;
      ASSERT_EQ(toBfloat16(value), nearestByDefinition(value)) << std::hexfloat << value;
    }
  }
}

RC_GTEST_PROP(Bfloat16, AnyFloatRoundsAsDefined, (std::uint32_t bits)) {
  const float value = std::bit_cast<float>(bits);
  RC_PRE(std::isfinite(value));
  RC_ASSERT(toBfloat16(value) == nearestByDefinition(value));
}

TEST(Bfloat16, KnownValues) {
  EXPECT_EQ(toBfloat16(1.0f).bits, 0x3f80);
  EXPECT_EQ(toBfloat16(-0.0f).bits, 0x8000);
  EXPECT_EQ(toBfloat16(0.1f).bits, 0x3dcd);
  EXPECT_EQ(toBfloat16(257.0f), toBfloat16(256.0f));  // a tie, to the even fraction
  EXPECT_EQ(toBfloat16(259.0f), toBfloat16(260.0f));
  EXPECT_EQ(toBfloat16(std::numeric_limits<float>::max()).bits, 0x7f80);  // infinity
  EXPECT_EQ(toBfloat16(std::numeric_limits<float>::infinity()).bits, 0x7f80);
}

}  // namespace
}  // namespace qgpu
