#include "compiler/launch/case_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "compiler/launch/compare.h"
#include "compiler/launch/json_position.h"
#include "interpreter/base/temporary_folder.h"

namespace qgpu::launch {
namespace {

constexpr std::string_view kScale = R"({
  "name": "scale", "kernel": "kernels/scale.cu", "entry": "scale", "unknown": {"is": [1, "fine"]},
  "grid": [2, 1, 1], "block": [4], "shared_bytes": 96,
  "params": [
    {"name": "x", "kind": "array", "elem": "int8", "length": 3, "data": [-128, 0, 127]},
    {"name": "by", "kind": "scalar", "type": "unsigned", "value": 4294967295},
    {"name": "size", "kind": "struct",
     "fields": [{"name": "w", "type": "int8"}, {"name": "h"}, {"name": "v", "type": "int16", "length": 2}],
     "value": {"w": -1, "h": 4, "v": [1, 2]}}],
  "expect": "pass-or-reject", "expected": {"x": [1, 2, 3]}, "compare": {"x": "multiset"},
  "needs": ["i8", "ld"], "rule": "C++: promotion", "family": "maps", "topic": "Scales.",
  "category": "either", "note": "none", "reject": {"stage": "compile", "reason": "too wide"}
})";

std::string with(std::string_view from, std::string_view to) {
  std::string text(kScale);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string complaint(std::string_view json) {
  const auto parsed = parseCase(json, "c.json");
  return parsed ? "" : parsed.error().text();
}

TEST(CaseFile, EveryPartIsRead) {
  const auto parsed = parseCase(kScale, "c.json");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().text();
  const Launch& launch = parsed->launch;
  EXPECT_EQ(launch.name, "scale");
  EXPECT_EQ(launch.grid, (Dim3{2, 1, 1}));
  EXPECT_EQ(launch.block, (Dim3{4, 1, 1}));
  EXPECT_EQ(launch.shared_bytes, 96u);
  ASSERT_EQ(launch.parameters.size(), 3u);
  EXPECT_EQ(launch.parameters[0], arrayOf("x", {-128, 0, 127}, ElementType::Int8));
  EXPECT_EQ(launch.parameters[1], scalarOf("by", 4294967295, ElementType::Unsigned));
  EXPECT_EQ(launch.parameters[2].bytes,
            (std::vector<std::uint8_t>{0xff, 0, 0, 0, 4, 0, 0, 0, 1, 0, 2, 0}));
  EXPECT_EQ(parsed->expectation, Expectation::PassOrReject);
  EXPECT_EQ(parsed->expected, (Arrays{{"x", {1, 2, 3}}}));
  EXPECT_EQ(parsed->compare.at("x"), CompareMode::Multiset);
  EXPECT_EQ(parsed->needs, (std::vector<std::string>{"i8", "ld"}));
  EXPECT_EQ(parsed->rule, "C++: promotion");
  EXPECT_EQ(parsed->family, "maps");
  EXPECT_EQ(parsed->topic, "Scales.");
  EXPECT_EQ(parsed->category, "either");
  EXPECT_EQ(parsed->note, "none");
  EXPECT_EQ(parsed->reject_stage, "compile");
  EXPECT_EQ(parsed->reject_reason, "too wide");
}

TEST(CaseFile, IsWrittenAMemberALine) {
  const auto parsed = parseCase(kScale, "c.json");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(formatCase(*parsed), R"({
  "name": "scale",
  "kernel": "kernels/scale.cu",
  "entry": "scale",
  "family": "maps",
  "topic": "Scales.",
  "category": "either",
  "rule": "C++: promotion",
  "note": "none",
  "needs": ["i8", "ld"],
  "grid": [2, 1, 1],
  "block": [4, 1, 1],
  "shared_bytes": 96,
  "params": [
    {"name": "x", "kind": "array", "elem": "int8", "length": 3, "data": [-128, 0, 127]},
    {"name": "by", "kind": "scalar", "type": "unsigned", "value": 4294967295},
    {"name": "size", "kind": "struct", "fields": [{"name": "w", "type": "int8"}, {"name": "h", "type": "int"}, {"name": "v", "type": "int16", "length": 2}], "value": {"w": -1, "h": 4, "v": [1, 2]}}
  ],
  "expect": "pass-or-reject",
  "reject": {
    "stage": "compile",
    "reason": "too wide"
  },
  "compare": {
    "x": "multiset"
  },
  "expected": {
    "x": [1, 2, 3]
  }
}
)");
}

TEST(CaseFile, PaddingIsZero) {
  const auto parsed = parseCase(R"({"kernel": "k.cu", "entry": "k", "params": [
    {"name": "s", "kind": "struct", "fields": [{"name": "a", "type": "int8"}, {"name": "b"},
     {"name": "c", "type": "uint8"}], "value": [-1, -1, 255]}]})",
                                "c.json");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().text();
  EXPECT_EQ(parsed->launch.parameters[0].bytes,
            (std::vector<std::uint8_t>{255, 0, 0, 0, 255, 255, 255, 255, 255, 0, 0, 0}));
}

TEST(CaseFile, WhatIsNotFiniteIsWrittenAsNull) {
  std::vector<std::uint8_t> bytes;
  for (const std::uint32_t bits : {0x7f800000u, 0xff800000u, 0x7fc00000u, 0x3f800000u})
    appendElement(bytes, ElementType::Float, bits);
  EXPECT_EQ(formatElements(bytes, ElementType::Float), "[null, null, null, 1]");
}

TEST(CaseFile, TextsAreWrittenAsUtf8) {
  auto test_case = parseCase(with("Scales.", "gr\xc3\xb6\u00dfer"), "c.json");
  ASSERT_TRUE(test_case.has_value());
  EXPECT_NE(formatCase(*test_case)
                .find("\"gr\xc3\xb6\xc3\x9f"
                      "er\""),
            std::string::npos);
  test_case->topic = "broken \xc3";
  EXPECT_NE(formatCase(*test_case).find("\"broken \xef\xbf\xbd\""), std::string::npos);
}

TEST(CaseFile, AFieldOfOneElementMayBeAList) {
  const auto parsed = parseCase(with("\"h\": 4", "\"h\": [4]"), "c.json");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().text();
  EXPECT_EQ(parsed->launch, parseCase(kScale, "c.json")->launch);
}

TEST(CaseFile, TextsOfSixteenMebibytesAreRead) {
  std::string text(kScale);
  text.resize(kMaxCaseBytes, ' ');
  EXPECT_EQ(complaint(text), "");
  EXPECT_EQ(complaint(text + " "), "c.json: error: is larger than 16777216 bytes");
}

TEST(CaseFile, ACaseWithoutParametersIsWrittenAndRead) {
  Case test_case;
  test_case.launch.name = "empty";
  test_case.launch.kernel = "k.cu";
  test_case.launch.entry = "k";
  const std::string written = formatCase(test_case);
  EXPECT_EQ(written, R"({
  "name": "empty",
  "kernel": "k.cu",
  "entry": "k",
  "grid": [1, 1, 1],
  "block": [1, 1, 1],
  "params": [],
  "expect": "pass"
}
)");
  const auto again = parseCase(written, "written");
  ASSERT_TRUE(again.has_value()) << again.error().text();
  EXPECT_EQ(*again, test_case);
}

TEST(CaseFile, WritingAndReadingGiveTheCaseBack) {
  const auto parsed = parseCase(kScale, "c.json");
  ASSERT_TRUE(parsed.has_value());
  const std::string written = formatCase(*parsed);
  const auto again = parseCase(written, "written");
  ASSERT_TRUE(again.has_value()) << again.error().text() << written;
  EXPECT_EQ(*again, *parsed);
  EXPECT_EQ(formatCase(*again), written);
}

TEST(CaseFile, MinimalCasesAreFilledIn) {
  const auto parsed = parseCase(R"({"kernel": "k.cu", "entry": "k", "params": [
    {"name": "a", "kind": "array", "length": 2}, {"name": "b", "kind": "array", "data": [5]},
    {"name": "x", "kind": "array", "elem": "float", "data": [1, 2.5, -0.0, -3]}]})",
                                "c.json");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().text();
  EXPECT_EQ(parsed->launch.name, "k");
  EXPECT_EQ(parsed->launch.grid, Dim3{});
  EXPECT_EQ(parsed->launch.parameters[0], arrayOf("a", {0, 0}));
  EXPECT_EQ(parsed->launch.parameters[1], arrayOf("b", {5}));
  EXPECT_EQ(formatElements(parsed->launch.parameters[2].bytes, ElementType::Float),
            "[1, 2.5, -0, -3]");
  EXPECT_EQ(parsed->expectation, Expectation::Pass);
}

TEST(CaseFile, SyntaxErrorsHaveALineAndAColumn) {
  EXPECT_EQ(complaint("{\n  \"kernel\": oops }").substr(0, 48),
            "c.json:2:13: error: not valid JSON: syntax error");
  EXPECT_NE(complaint("{\"~\x7f\xc3\xa4").find("'\"~\?\?\?'"), std::string::npos);
  EXPECT_NE(complaint("{\"a\n\x01").find("'\"a<U+000A>'"), std::string::npos);
  EXPECT_EQ(complaint("").substr(0, 13), "c.json:1:1: e");
  EXPECT_EQ(complaint(R"({"a": {"entry": 1}, "entry": "k", "kernel": "k.cu"})"), "");
  EXPECT_EQ(complaint(R"({"b": 1, "a": {"b": 1}, "b": 2})"),
            "c.json: error: has the key 'b' twice in one object");
  EXPECT_EQ(complaint(R"({"a": 1, "a": 2})"), "c.json: error: has the key 'a' twice in one object");
  EXPECT_EQ(complaint(std::string(100000, '[')), "c.json: error: is nested deeper than 32");
  const std::string nested = "{\"kernel\": \"k.cu\", \"entry\": \"k\", \"other\": ";
  EXPECT_EQ(complaint(nested + std::string(32, '[') + std::string(32, ']') + "}"), "");
  EXPECT_EQ(complaint(nested + std::string(33, '[') + std::string(33, ']') + "}"),
            "c.json: error: is nested deeper than 32");
  EXPECT_EQ(complaint("[]"), "c.json:1:1: error: the file: is a list of 0, not an object");
}

TEST(CaseFile, ValuesOutOfRangeAreRefusedWhereTheyStand) {
  EXPECT_EQ(complaint(with("127]", "128]")),
            "c.json:5:83: error: params[0].data[2]: is the number 128, which int8 does not hold; "
            "use a whole number "
            "from -128 to 127");
  EXPECT_EQ(complaint(with("4294967295", "-1")),
            "c.json:6:67: error: params[1].value: is the number -1, which unsigned does not hold; "
            "use a whole number "
            "from 0 to 4294967295");
  EXPECT_EQ(complaint(with("\"h\": 4", "\"h\": 4.0")),
            "c.json:9:30: error: params[2].value.h: is the number 4.0, which int does not hold; "
            "use a whole number "
            "from -2147483648 to 2147483647");
}

TEST(CaseFile, ValuesOfTheWrongKindAreDescribed) {
  const auto expectComplaint = [](std::string_view from, std::string_view to,
                                  const std::string& what) {
    const std::string got = complaint(with(from, to));
    EXPECT_NE(got.find("error: " + what), std::string::npos) << got;
  };
  expectComplaint("127]", "null]", "params[0].data[2]: is null, which int8 does not hold");
  expectComplaint("127]", "true]", "params[0].data[2]: is true, which int8 does not hold");
  expectComplaint("127]", "false]", "params[0].data[2]: is false, which");
  expectComplaint("127]", "[1, 2]]", "params[0].data[2]: is a list of 2, which");
  expectComplaint("127]", "{}]", "params[0].data[2]: is an object, which");
  expectComplaint("127]", "\"a\x7f\"]", "params[0].data[2]: is a text of 2 bytes, which");
  expectComplaint("[-128, 0, 127]", "7", "params[0].data: is the number 7, not a list");
  expectComplaint("\"int8\"", "7", "params[0].elem: is the number 7, not a text");
  expectComplaint("\"grid\": [2, 1, 1]", "\"grid\": 2", "grid: is the number 2, not a list");
  expectComplaint("[2, 1, 1]", "[2, 1, 1, 1]", "grid: has 4 items; use at most 3");
  expectComplaint("[2, 1, 1]", "[2, -1, 1]",
                  "grid[1]: is the number -1; use a whole number from 0 to 2147483647");
  EXPECT_EQ(complaint(with("\"shared_bytes\": 96", "\"shared_bytes\": 232448")), "");
  expectComplaint("\"shared_bytes\": 96", "\"shared_bytes\": 232449",
                  "shared_bytes: is the number 232449; use a whole number from 0 to 232448");
  expectComplaint("{\"w\": -1, \"h\": 4, \"v\": [1, 2]}", "3",
                  "params[2].value: is the number 3, not an object");
  expectComplaint("{\"name\": \"h\"}", "3", "params[2].fields[1]: is the number 3, not an object");
  expectComplaint("{\"name\": \"h\"}", "{\"name\": \"w\"}",
                  "params[2].fields[1]: an earlier field has the same name; rename one");
  expectComplaint("\"v\": [1, 2]}", "\"v\": 1}", "params[2].value.v: is the number 1, not a list");
  expectComplaint("\"v\": [1, 2]}", "\"z\": [1, 2]}", "params[2].value: 'v' is missing");
  expectComplaint("{\"x\": \"multiset\"}", "{\"x\": \"sorted\"}",
                  "compare.x: is the text 'sorted'; use exact or multiset");
  expectComplaint("{\"x\": \"multiset\"}", "{\"by\": \"exact\"}",
                  "compare.by: 'by' is not an array of this launch");
  expectComplaint("[1, 2, 3]}", "7}", "expected.x: is the number 7, not a list");
  expectComplaint("{\"x\": \"multiset\"}", "7", "compare: is the number 7, not an object");
  expectComplaint("{\"x\": [1, 2, 3]}", "7", "expected: is the number 7, not an object");
  expectComplaint("[\"i8\", \"ld\"]", "\"i8\"", "needs: is the text 'i8', not a list");
  expectComplaint("{\"stage\": \"compile\", \"reason\": \"too wide\"}", "\"compile\"",
                  "reject: is the text 'compile', not an object");
  expectComplaint("kernels/scale.cu", "", "kernel: is empty; name a file");
  EXPECT_EQ(complaint(R"({"kernel": "k.cu", "entry": "k", "params": [
    {"name": "s", "kind": "struct", "fields": [], "value": []}]})"),
            "c.json:1:1: error: the file: struct 's' has 0 fields; use 1 to 256");
  EXPECT_EQ(complaint(R"({"kernel": "k.cu", "entry": "k", "params": 3})"),
            "c.json:1:44: error: params: is the number 3, not a list");
  EXPECT_EQ(complaint(R"({"kernel": "k.cu", "entry": "k", "params": [7]})"),
            "c.json:1:45: error: params[0]: is the number 7, not an object");
}

TEST(CaseFile, ListsOfNeedsHaveALimit) {
  std::string needs = "[\"ld\"";
  for (int i = 1; i < 256; ++i) needs += ", \"ld\"";
  EXPECT_EQ(complaint(with("[\"i8\", \"ld\"]", needs + "]")), "");
  EXPECT_NE(complaint(with("[\"i8\", \"ld\"]", needs + ", \"ld\"]")).find("needs: has 257 items"),
            std::string::npos);
}

TEST(CaseFile, TextsHaveALimit) {
  EXPECT_EQ(complaint(with("Scales.", std::string(4096, 'x'))), "");
  const std::string got = complaint(with("Scales.", std::string(4097, 'x')));
  EXPECT_NE(got.find("error: topic: is a text of 4097 bytes; use at most 4096"), std::string::npos);
  const auto typeComplaint = [](std::size_t size) {
    return complaint(with("int8", std::string(size, 'x')));
  };
  EXPECT_NE(typeComplaint(40).find("is the text 'xxxx"), std::string::npos);
  EXPECT_NE(typeComplaint(41).find("is a text of 41 bytes; use one of"), std::string::npos);
}

TEST(CaseFile, ExactIsTheModeOfAnArrayThatNamesIt) {
  const auto parsed = parseCase(with("multiset", "exact"), "c.json");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_TRUE(parsed->compare.empty());
}

TEST(CaseFile, MembersThatAreNullCountAsAbsent) {
  const auto parsed = parseCase(with("[2, 1, 1]", "null"), "c.json");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->launch.grid, Dim3{});
  EXPECT_EQ(complaint(with("\"length\": 3, \"data\": [-128, 0, 127]", "\"length\": null")),
            "c.json:5:5: error: params[0]: has neither 'length' nor 'data'");
}

TEST(CaseFile, ListsOfTheWrongLengthAreRefusedWithNumbers) {
  EXPECT_EQ(complaint(with("[-128, 0, 127]", "[1, 2]")),
            "c.json:5:73: error: params[0].data: has 2 values for a length of 3; give one value "
            "for each element");
  EXPECT_EQ(complaint(with("{\"x\": [1, 2, 3]}", "{\"x\": [1, 2, 3, 4]}")),
            "c.json:10:49: error: expected.x: has 4 values for a length of 3; give one value for "
            "each element");
  EXPECT_EQ(complaint(with("{\"w\": -1, \"h\": 4, \"v\": [1, 2]}", "[1, 2]")),
            "c.json:9:15: error: params[2].value: has 2 values for 3 fields");
}

TEST(CaseFile, OtherMistakesAreNamed) {
  EXPECT_EQ(complaint(with("\"entry\"", "\"entri\"")),
            "c.json:1:1: error: the file: 'entry' is missing");
  EXPECT_EQ(
      complaint(with("\"by\"", "\"x\"")),
      "c.json:6:14: error: params[1].name: an earlier parameter is named 'x' too; rename one");
  EXPECT_EQ(complaint(with("\"kind\": \"array\"", "\"kind\": \"vector\"")),
            "c.json:5:27: error: params[0].kind: is 'vector'; use array, scalar or struct");
  EXPECT_EQ(complaint(with("int8", "byte")),
            "c.json:5:44: error: params[0].elem: is the text 'byte'; use one of int, unsigned, "
            "int8, uint8, int16, "
            "uint16, int64, uint64, float");
  EXPECT_EQ(complaint(with("[2, 1, 1]", "[2, 0, 1]")),
            "c.json:3:11: error: grid: grid.y is 0; use 1 to 65535, as CUDA does");
  EXPECT_EQ(complaint(with("pass-or-reject", "maybe")),
            "c.json:10:13: error: expect: is the text 'maybe'; use pass, pass-or-reject or reject");
  EXPECT_EQ(complaint(with("\"expected\": {\"x\"", "\"expected\": {\"y\"")),
            "c.json:10:49: error: expected.y: 'y' is not an array of this launch; name a parameter "
            "of kind array");
  EXPECT_EQ(complaint(with("kernels/scale.cu", "a\\u0000b")),
            "c.json:2:30: error: kernel: contains a control character");
}

class CaseOnDisk : public ::testing::Test {
 protected:
  CaseOnDisk() {
    std::filesystem::create_directories(root_ / "cases");
    std::filesystem::create_directories(root_ / "kernels");
    std::ofstream(root_ / "cases/scale.json") << kScale;
  }

  const TemporaryFolder folder_;
  const std::filesystem::path root_ = folder_.path();
};

TEST_F(CaseOnDisk, TheKernelIsFoundBesideTheCasesFolder) {
  std::ofstream(root_ / "kernels/scale.cu") << "// empty";
  const auto read = readCase(root_ / "cases/scale.json");
  ASSERT_TRUE(read.has_value()) << read.error().text();
  EXPECT_EQ(read->launch.kernel, root_ / "kernels/scale.cu");
}

TEST_F(CaseOnDisk, MistakesNameTheFile) {
  const std::filesystem::path file = root_ / "cases/list.json";
  std::ofstream(file) << "[]";
  const auto read = readCase(file);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().text(),
            file.string() + ":1:1: error: the file: is a list of 0, not an object");
}

TEST_F(CaseOnDisk, AMissingKernelIsRefused) {
  const auto read = readCase(root_ / "cases/scale.json");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().text(), (root_ / "cases/scale.json").string() +
                                     ":2:30: error: kernel: there is no file '" +
                                     (root_ / "kernels/scale.cu").string() +
                                     "'; give a path relative to the folder above the case's");
  const auto none = readCase(root_ / "cases/none.json");
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().text().find("none.json: error: cannot"), std::string::npos)
      << none.error().text();
  EXPECT_FALSE(readCase(root_ / "cases").has_value());
}

}  // namespace
}  // namespace qgpu::launch
