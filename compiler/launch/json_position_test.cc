#include "compiler/launch/json_position.h"

#include <gtest/gtest.h>

namespace qgpu::launch {
namespace {

TEST(JsonPath, ReadsAsInAProgram) {
  EXPECT_EQ(JsonPath().text(), "the file");
  EXPECT_EQ(JsonPath().key("params").item(2).key("data").item(0).text(), "params[2].data[0]");
}

TEST(JsonPosition, LinesAndColumnsCountFromOne) {
  EXPECT_EQ(lineColumnAt("", 0), (LineColumn{1, 1}));
  EXPECT_EQ(lineColumnAt("a\nbc\n", 3), (LineColumn{2, 2}));
  EXPECT_EQ(lineColumnAt("a\nbc\n", 99), (LineColumn{3, 1}));
}

TEST(JsonPosition, ValuesAreFound) {
  const std::string_view json =
      "{ \"a\": [1, {\"x\" : \"]}\\\"\", \"y\": [[], 7]}],\n  \"b\": null }";
  EXPECT_EQ(locate(json, JsonPath()), (LineColumn{1, 1}));
  EXPECT_EQ(locate(" \r\n\t{}", JsonPath()), (LineColumn{2, 2}));
  EXPECT_EQ(locate(json, JsonPath().key("a").item(0)), (LineColumn{1, 9}));
  EXPECT_EQ(locate(json, JsonPath().key("a").item(1).key("x")), (LineColumn{1, 19}));
  EXPECT_EQ(locate(json, JsonPath().key("a").item(1).key("y").item(1)), (LineColumn{1, 37}));
  EXPECT_EQ(locate(json, JsonPath().key("b")), (LineColumn{2, 8}));
}

TEST(JsonPosition, KeysMayHoldEscapes) {
  EXPECT_EQ(locate(R"({"a\\": 1, "b": 2})", JsonPath().key("b")), (LineColumn{1, 17}));
  EXPECT_EQ(locate(R"({"\"": 1, "b": 2})", JsonPath().key("b")), (LineColumn{1, 16}));
}

TEST(JsonPosition, WhatIsNotThereIsFoundAtItsParent) {
  const std::string_view json = "{\"a\": [1, 2]}";
  EXPECT_EQ(locate(json, JsonPath().key("a").item(5)), (LineColumn{1, 7}));
  EXPECT_EQ(locate(json, JsonPath().key("z").key("y")), (LineColumn{1, 1}));
  EXPECT_EQ(locate(json, JsonPath().key("a").key("y")), (LineColumn{1, 7}));
  EXPECT_EQ(locate(json, JsonPath().key("a").key("x").item(0)), (LineColumn{1, 7}));
  EXPECT_EQ(locate(R"({"a": [1, "b"]})", JsonPath().key("a").key("[1, ")), (LineColumn{1, 7}));
}

TEST(JsonPosition, AByteOrderMarkDoesNotShiftTheLines) {
  EXPECT_EQ(locate("\xef\xbb\xbf{\n\"a\": 1}", JsonPath().key("a")), (LineColumn{2, 6}));
}

TEST(JsonPosition, TextsThatAreNotJsonDoNotLoop) {
  for (const char* const text :
       {"", "{", "[", "{\"a", "{\"a\":", "[[[[", "}", "\"\\", "{,", "[1", "{\"b\":[["})
    EXPECT_GE(locate(text, JsonPath().key("a").item(0)).line, 1) << text;
}

}  // namespace
}  // namespace qgpu::launch
