#include "compiler/launch/element_type.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <bit>
#include <cstdlib>

namespace qgpu::launch {
namespace {

constexpr std::array kAll = {ElementType::Int,   ElementType::Unsigned, ElementType::Int8,
                             ElementType::Uint8, ElementType::Int16,    ElementType::Uint16,
                             ElementType::Int64, ElementType::Uint64,   ElementType::Float};

TEST(ElementType, NamesReadBack) {
  for (const ElementType type : kAll) {
    EXPECT_EQ(elementTypeNamed(name(type)), type);
    EXPECT_NE(elementTypeNames().find(name(type)), std::string::npos);
  }
  for (const char* const same : {"uint", "unsigned int", "uint32"})
    EXPECT_EQ(elementTypeNamed(same), ElementType::Unsigned) << same;
  EXPECT_EQ(elementTypeNamed("int32"), ElementType::Int);
  EXPECT_EQ(elementTypeNamed("double"), std::nullopt);
  EXPECT_EQ(elementTypeNamed(""), std::nullopt);
}

TEST(ElementType, SizesAreThoseOfLp64) {
  EXPECT_EQ(sizeOf(ElementType::Int), sizeof(int));
  EXPECT_EQ(sizeOf(ElementType::Int8), sizeof(signed char));
  EXPECT_EQ(sizeOf(ElementType::Uint16), sizeof(unsigned short));
  EXPECT_EQ(sizeOf(ElementType::Int64), sizeof(long long));
  EXPECT_EQ(sizeOf(ElementType::Float), sizeof(float));
}

TEST(ElementType, RangesEndWhereCxxSaysTheyDo) {
  EXPECT_EQ(rangeText(ElementType::Float), "the range of a 32-bit float");
  EXPECT_EQ(rangeText(ElementType::Int8), "-128 to 127");
  EXPECT_EQ(rangeText(ElementType::Uint8), "0 to 255");
  EXPECT_EQ(rangeText(ElementType::Int), "-2147483648 to 2147483647");
  EXPECT_EQ(rangeText(ElementType::Int64), "-9223372036854775808 to 9223372036854775807");
  EXPECT_EQ(rangeText(ElementType::Uint64), "0 to 18446744073709551615");
  EXPECT_EQ(encode(ElementType::Int8, {true, 128}), 0xffffffffffffff80u);
  EXPECT_EQ(encode(ElementType::Int8, {true, 129}), std::nullopt);
  EXPECT_EQ(encode(ElementType::Int8, {false, 128}), std::nullopt);
  EXPECT_EQ(encode(ElementType::Uint8, {true, 1}), std::nullopt);
  EXPECT_EQ(encode(ElementType::Uint8, {true, 0}), 0u);
  EXPECT_EQ(encode(ElementType::Uint64, {false, ~0ull}), ~0ull);
}

TEST(ElementType, FloatsRoundToNearestAndRefuseInfinity) {
  EXPECT_EQ(encodeFloat(0.1), std::bit_cast<std::uint32_t>(0.1f));
  EXPECT_EQ(encodeFloat(1e39), std::nullopt);
  EXPECT_EQ(encode(ElementType::Float, {false, 16777217}),
            std::bit_cast<std::uint32_t>(16777216.0f));
  EXPECT_EQ(elementText(ElementType::Float, std::bit_cast<std::uint32_t>(-1.5f)), "-1.5");
}

TEST(ElementType, IntegersParseWholeOrNotAtAll) {
  EXPECT_EQ(parseInteger("-0x10")->text(), "-16");
  EXPECT_EQ(parseInteger("+7")->text(), "7");
  EXPECT_EQ(parseInteger("0X1f")->text(), "31");
  EXPECT_EQ(parseInteger("-0")->text(), "0");
  for (const char* const text : {"", "-", "+", "0x", "1 ", " 1", "1.0", "--1", "0xg", "1e3", "- 1",
                                 "18446744073709551616", "-+1", "0x-1"})
    EXPECT_EQ(parseInteger(text), std::nullopt) << text;
}

TEST(ElementType, ElementsAreReadInsideTheirArrayOnly) {
  const std::vector<std::uint8_t> bytes = {1, 0, 0, 0, 2, 0, 0, 0};
  EXPECT_EQ(elementBits(bytes, ElementType::Int, 1), 2u);
  EXPECT_DEATH(elementBits(bytes, ElementType::Int, 2), "inside its array");
}

RC_GTEST_PROP(ElementType, ValuesSurviveBytesAndText, (std::uint64_t random, bool small)) {
  const auto type = *rc::gen::elementOf(std::vector<ElementType>(kAll.begin(), kAll.end() - 1));
  const std::uint64_t bits = small ? random % 300 : random;
  std::vector<std::uint8_t> bytes(sizeOf(type), 0xee);
  appendElement(bytes, type, bits);
  RC_ASSERT(bytes.size() == 2 * sizeOf(type));
  const std::uint64_t stored = elementBits(bytes, type, 1);
  RC_ASSERT(stored == (bits & (~0ull >> (64 - 8 * sizeOf(type)))));
  const auto parsed = parseInteger(elementText(type, stored));
  RC_ASSERT(parsed.has_value());
  const auto again = encode(type, *parsed);
  RC_ASSERT(again.has_value());
  std::vector<std::uint8_t> second(sizeOf(type), 0xee);
  appendElement(second, type, *again);
  RC_ASSERT(second == bytes);
}

}  // namespace
}  // namespace qgpu::launch
