#include "compiler/ptx/constant.h"

#include <bit>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/ptx/testing.h"

namespace qgpu::ptx {
namespace {

using Kind = Immediate::Kind;

bool evaluate(std::string_view text, Immediate& result) {
  Cursor cursor(text);
  return parseConstant(cursor, 32, result) && cursor.atEnd();
}

struct IntegerCase {
  std::string_view text;
  std::int64_t value;
  Kind kind;
};

// Values worked out by hand; `ptxas` agrees with each (see AgreesWithPtxas).
constexpr IntegerCase kIntegers[] = {
    {"(4+8)*2", 24, Kind::Signed},
    {"10 - 4 - 3", 3, Kind::Signed},
    {"100 / 5 / 2", 10, Kind::Signed},
    {"2 + 3 << 1", 10, Kind::Signed},
    {"1 << 4 | 3", 19, Kind::Signed},
    {"1 | 2 ^ 3 & 4", 3, Kind::Signed},
    {"5 & 3 == 3", 1, Kind::Signed},
    {"1 < 2 == 1", 1, Kind::Signed},
    {"3 <= 3 && 2 != 2 || 0", 0, Kind::Signed},
    // What binds tighter comes first, for each two neighbours.
    {"1 || 0 && 0", 1, Kind::Signed},
    {"1 && 0 | 2", 1, Kind::Signed},
    {"1 | 1 ^ 1", 1, Kind::Signed},
    {"1 ^ 1 & 0", 1, Kind::Signed},
    {"2 & 2 == 2", 0, Kind::Signed},
    {"2 == 1 < 3", 0, Kind::Signed},
    {"1 < 1 << 1", 1, Kind::Signed},
    {"1 << 1 + 1", 4, Kind::Signed},
    {"1 + 2 * 3", 7, Kind::Signed},
    {"-7 / 2", -3, Kind::Signed},
    {"7 % 3", 1, Kind::Unsigned},
    {"-7 % 3", 0, Kind::Unsigned},
    {"-1 % 10", 5, Kind::Unsigned},
    {"5U - 6", -1, Kind::Unsigned},
    {"-6 / 4U", 0x3FFFFFFFFFFFFFFE, Kind::Unsigned},
    {"(-6 | 0) / 4", -1, Kind::Signed},
    {"~5 / 4", 0x3FFFFFFFFFFFFFFE, Kind::Unsigned},
    {"~0 & 0xFF00", 0xFF00, Kind::Unsigned},
    {"-1 < 0U", 0, Kind::Signed},
    {"-1 < 1", 1, Kind::Signed},
    {"9223372036854775808 > 0", 1, Kind::Signed},
    {"-9223372036854775808 < 0", 0, Kind::Signed},
    {"(.s64)0x8000000000000000 >> 4", static_cast<std::int64_t>(0xF800000000000000), Kind::Signed},
    {"0x8000000000000000 >> 4", 0x0800000000000000, Kind::Unsigned},
    {"(.u64)-16 >> 4", 0x0FFFFFFFFFFFFFFF, Kind::Unsigned},
    {"(.s64)5U - 6 < 0", 1, Kind::Signed},
    {"1 << 64", 1, Kind::Signed},
    {"1 << 65", 2, Kind::Signed},
    {"-8 >> 1", -4, Kind::Signed},
    {"-8 >> 64", -8, Kind::Signed},
    {"1 ? 2 : 0 ? 3 : 4", 2, Kind::Signed},
    {"0 ? 2 : 0 ? 3 : 4", 4, Kind::Signed},
    {"(1 ? -6 : 1U) / 4", -1, Kind::Signed},
    {"!5 + !0", 1, Kind::Signed},
    {"- - 5", 5, Kind::Signed},
    {"+-+5", -5, Kind::Signed},
    {"(2.0 > 1.0) + 1", 2, Kind::Signed},
    {"2.5 != 2.5 || 1", 1, Kind::Signed},
    {"0b11 + 011 + 0x11", 29, Kind::Signed},
    {"WARP_SZ - 1", 31, Kind::Signed},
};

TEST(Constant, EvaluatesIntegers) {
  for (const IntegerCase& c : kIntegers) {
    Immediate result;
    ASSERT_TRUE(evaluate(c.text, result)) << c.text;
    EXPECT_EQ(static_cast<std::int64_t>(result.bits), c.value) << c.text;
    EXPECT_EQ(result.kind, c.kind) << c.text;
  }
}

TEST(Constant, MinimumDividedByMinusOneWraps) {
  Immediate result;
  ASSERT_TRUE(evaluate("(.s64)0x8000000000000000 / -1", result));
  EXPECT_EQ(result.bits, 0x8000000000000000u);
}

TEST(Constant, EvaluatesFloats) {
  for (const auto& [text, value] : {std::pair{"2.0 * 3.25 - .5", 6.0},
                                    {"-1.5", -1.5},
                                    {"+2.", 2.0},
                                    {"1.0 / 4.0", 0.25},
                                    {"(1.5 + 1.5)", 3.0}}) {
    Immediate result;
    ASSERT_TRUE(evaluate(text, result)) << text;
    EXPECT_EQ(result.kind, Kind::Float64) << text;
    EXPECT_EQ(std::bit_cast<double>(result.bits), value) << text;
  }
  Immediate result;
  ASSERT_TRUE(evaluate("(0f3F800000)", result));
  EXPECT_EQ(result.kind, Kind::Float32);
}

TEST(Constant, RefusesWhatHasNoValue) {
  for (const char* text : {"", "(1", "1 +", "1 ? 2", "5 / 0", "5 % 0", "0 && (1/0)", "1.5 + 2",
                           "-0f3F800000", "0f3F800000 + 1.0", "5.0 % 2.0", "~5.0", "!5.0",
                           "1 ? 1.5 : 2.5", "(.u64)1.5", "(.u32)5", "1.0 && 1", "x", "1 2"}) {
    Immediate result;
    EXPECT_FALSE(evaluate(text, result)) << text;
  }
}

TEST(Constant, LimitsItsDepth) {
  for (const char* unit : {"(", "-", "~", "1?", "1+(", "(.s64)"}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += unit;
    Immediate result;
    EXPECT_FALSE(evaluate(text + "1", result)) << unit;
  }
  std::string sum = "1";
  for (int i = 0; i < 100000; ++i) sum += "+1";
  Immediate result;
  ASSERT_TRUE(evaluate(sum, result));
  EXPECT_EQ(result.bits, 100001u);
}

// Two kernels that store a value, one by its expression and one by its literal, assemble to the
// same code.
TEST(Constant, AgreesWithPtxas) {
  const auto ptxas = findProgram("ptxas");
  if (!ptxas) GTEST_SKIP() << "ptxas is not installed";
  std::string by_expression;
  std::string by_value;
  for (const IntegerCase& c : kIntegers) {
    by_expression +=
        fmt::format("mov.u64 %rd2, {}; st.volatile.global.u64 [%rd1], %rd2;\n", c.text);
    by_value += fmt::format("mov.u64 %rd2, {:#x}; st.volatile.global.u64 [%rd1], %rd2;\n",
                            static_cast<std::uint64_t>(c.value));
  }
  const std::string load = "ld.param.u64 %rd1, [p0];\n";
  const Verdict expressions = assemble(*ptxas, kernel(load + by_expression), "sm_90");
  const Verdict values = assemble(*ptxas, kernel(load + by_value), "sm_90");
  ASSERT_TRUE(expressions.accepted) << expressions.errors.begin()->second;
  ASSERT_TRUE(values.accepted) << values.errors.begin()->second;
  EXPECT_EQ(codeSections(expressions.object), codeSections(values.object));
}

}  // namespace
}  // namespace qgpu::ptx
