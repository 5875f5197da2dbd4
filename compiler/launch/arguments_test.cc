#include "compiler/launch/arguments.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "compiler/launch/case_file.h"

namespace qgpu::launch {
namespace {

std::string complaint(std::string_view text) {
  const auto parameter = parseArgument(text);
  return parameter ? "" : parameter.error().text();
}

TEST(Arguments, TheDocumentedFormsAreTaken) {
  EXPECT_EQ(parseArgument("n=3"), scalarOf("n", 3));
  EXPECT_EQ(parseArgument(" n = -0x10 "), scalarOf("n", -16));
  EXPECT_EQ(parseArgument("a=1,2,3"), arrayOf("a", {1, 2, 3}));
  EXPECT_EQ(parseArgument("a= 1 , 2"), arrayOf("a", {1, 2}));
  EXPECT_EQ(parseArgument("a=7,"), arrayOf("a", {7}));
  EXPECT_EQ(parseArgument("c=[8]"), arrayOf("c", std::vector<std::int64_t>(8, 0)));
  EXPECT_EQ(parseArgument("c=[3:-1]"), arrayOf("c", {-1, -1, -1}));
  EXPECT_EQ(parseArgument("c=[0]"), arrayOf("c", {}));
  EXPECT_EQ(parseArgument("c:int8=[2:-1]"), arrayOf("c", {-1, -1}, ElementType::Int8));
  EXPECT_EQ(parseArgument("a:uint8=1,255"), arrayOf("a", {1, 255}, ElementType::Uint8));
  EXPECT_EQ(parseArgument("n:int64=5000000000"), scalarOf("n", 5000000000, ElementType::Int64));
}

TEST(Arguments, ATextIsAnArrayOfItsBytes) {
  EXPECT_EQ(parseArgument(R"(s="a, b")"), arrayOf("s", {97, 44, 32, 98}, ElementType::Uint8));
  EXPECT_EQ(parseArgument(R"(s="")"), arrayOf("s", {}, ElementType::Uint8));
  EXPECT_EQ(parseArgument(R"(s="\0\n\r\t\"\\")"),
            arrayOf("s", {0, 10, 13, 9, 34, 92}, ElementType::Uint8));
  EXPECT_EQ(parseArgument("s:int8=\"x\xc3\xa9\""),
            arrayOf("s", {120, -61, -87}, ElementType::Int8));
  EXPECT_EQ(parseArgument("s:int=\"\xc3\""), arrayOf("s", {195}));
  for (const std::string_view bad :
       {R"(s="\")", R"(s="\x")", R"(s="a"b")", R"(s=""")", R"(s="\\"b")"})
    EXPECT_EQ(complaint(bad),
              R"(error: argument 's': a text with a lone quote or backslash; write \" and \\; )"
              R"(\0 \n \r \t are known)")
        << bad;
  EXPECT_EQ(complaint(R"(s=")").substr(0, 33), R"(error: argument 's': '"' is not a)");
}

TEST(Arguments, ACommaEndsOnlyAnArrayOfOne) {
  EXPECT_EQ(complaint("a=1,2,").substr(0, 41), "error: argument 'a': '' is not a number; ");
  EXPECT_EQ(complaint("a=1,,3").substr(0, 41), "error: argument 'a': '' is not a number; ");
}

TEST(Arguments, AStructHasFieldsOfOneType) {
  const auto parameter = parseArgument("p:int16={3,-4}");
  ASSERT_TRUE(parameter.has_value());
  EXPECT_EQ(parameter->kind, ParameterKind::Struct);
  EXPECT_EQ(parameter->type, ElementType::Int);
  EXPECT_EQ(parameter->fields,
            (std::vector<Field>{{"f0", ElementType::Int16, 1}, {"f1", ElementType::Int16, 1}}));
  EXPECT_EQ(parameter->bytes, (std::vector<std::uint8_t>{3, 0, 0xfc, 0xff}));
}

TEST(Arguments, UnsignedIsInferredOnlyWhereItMustBe) {
  EXPECT_EQ(parseArgument("n=2147483647")->type, ElementType::Int);
  EXPECT_EQ(parseArgument("n=2147483648")->type, ElementType::Unsigned);
  EXPECT_EQ(parseArgument("a=1,0xffffffff")->type, ElementType::Unsigned);
  EXPECT_EQ(complaint("a=-1,0xffffffff"),
            "error: argument 'a': int does not hold 0xffffffff; use -2147483648 to 2147483647, or "
            "a wider type as "
            "in a:int64=...");
}

TEST(Arguments, FloatsAreTakenWithTheirType) {
  EXPECT_EQ(parseArgument("x:float=1.5,-2e3,3")->bytes.size(), 12u);
  EXPECT_FALSE(parseArgument("x=1.5").has_value());
  EXPECT_FALSE(parseArgument("x:float=1e50").has_value());
  for (const char* const text :
       {"x:float=nan", "x:float=1e999", "x:float=1.5x", "x:float=++1", "x:float="})
    EXPECT_FALSE(parseArgument(text).has_value()) << text;
  EXPECT_EQ(parseArgument("x:float=+1.5"), parseArgument("x:float=1.5"));
  EXPECT_EQ(parseArgument("x:float=1.5")->bytes, (std::vector<std::uint8_t>{0, 0, 0xc0, 0x3f}));
}

TEST(Arguments, ListsHaveALimit) {
  std::string list = "a=" + std::string(2 * kMaxArrayLength - 1, ',');
  for (std::size_t i = 0; i < kMaxArrayLength; ++i) list[2 + 2 * i] = '7';
  EXPECT_EQ(parseArgument(list)->length, kMaxArrayLength);
  EXPECT_EQ(complaint(list + ",7"),
            "error: argument 'a' has 1048577 elements; use at most 1048576");
  EXPECT_EQ(parseArgument("a=[1048576]")->length, kMaxArrayLength);
  std::string record = "p={1";
  for (std::size_t i = 1; i < kMaxFields; ++i) record += ",1";
  EXPECT_EQ(parseArgument(record + "}")->fields.size(), kMaxFields);
  EXPECT_EQ(complaint(record + ",1}"), "error: argument 'p' has 257 fields; use at most 256");
}

TEST(Arguments, AnythingElseIsRefused) {
  EXPECT_EQ(complaint("a").substr(0, 30), "error: argument 'a' has no '='");
  EXPECT_EQ(complaint("a:real=1"),
            "error: argument 'a': there is no element type 'real'; use one of int, unsigned, int8, "
            "uint8, int16, "
            "uint16, int64, uint64, float");
  for (const char* const text :
       {"", "=", "=1", ":int=1", "a=", "a=,", "a=1,,2", "a=[", "a=[]", "a=[-1]", "a=[x]",
        "a=[1048577]", "a=[2:]", "a={}", "a={1,}", "a=1;2", "a:int8=128", "a=1 2"})
    EXPECT_FALSE(parseArgument(text).has_value()) << text;
}

TEST(Arguments, LaunchSizes) {
  EXPECT_EQ(parseDims("1"), Dim3{});
  EXPECT_EQ(parseDims("4"), (Dim3{4, 1, 1}));
  EXPECT_EQ(parseDims("4, 2"), (Dim3{4, 2, 1}));
  EXPECT_EQ(parseDims("4,2,0x3"), (Dim3{4, 2, 3}));
  EXPECT_EQ(parseDims("2147483647"), (Dim3{2147483647, 1, 1}));
  for (const char* const text : {"", ",", "0", "4,0", "-1", "1,2,3,4", "x", "4,", "2147483648"})
    EXPECT_FALSE(parseDims(text).has_value()) << text;
}

RC_GTEST_PROP(Arguments, WhatIsPrintedReadsBack, (std::vector<std::int32_t> values)) {
  const Parameter array = arrayOf("a", {values.begin(), values.end()});
  std::string list = formatElements(array.bytes, array.type);
  list = list.substr(1, list.size() - 2);
  if (values.empty()) {
    RC_ASSERT(!parseArgument("a:int=" + list + ",").has_value());
    return;
  }
  RC_ASSERT(parseArgument("a:int=" + list + (values.size() == 1 ? "," : "")) == array);
}

RC_GTEST_PROP(Arguments, AnyTextIsTakenOrRefused, ()) {
  const std::string alphabet = std::string("a:=,[]{}0123456789-+.xe unsigedtflo\xff") + '\0';
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(alphabet));
  const auto parameter = parseArgument(text);
  if (!parameter) RC_ASSERT(parameter.error().kind == FailureKind::Refusal);
  const auto dims = parseDims(text);
  if (!dims) RC_ASSERT(dims.error().kind == FailureKind::Refusal);
}

}  // namespace
}  // namespace qgpu::launch
