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
  "needs": ["i8"], "rule": "C++: promotion"
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
  EXPECT_EQ(parsed->needs, std::vector<std::string>{"i8"});
  EXPECT_EQ(parsed->rule, "C++: promotion");
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
  EXPECT_EQ(complaint("{\n  \"kernel\": oops }").substr(0, 34),
            "c.json:2:13: error: not valid JSON");
  EXPECT_EQ(complaint("").substr(0, 13), "c.json:1:1: e");
  EXPECT_EQ(complaint(R"({"a": 1, "a": 2})"), "c.json: error: has the key 'a' twice in one object");
  EXPECT_EQ(complaint(std::string(100000, '[')), "c.json: error: is nested deeper than 32");
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

TEST_F(CaseOnDisk, AMissingKernelIsRefused) {
  const auto read = readCase(root_ / "cases/scale.json");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().text(), (root_ / "cases/scale.json").string() +
                                     ":2:30: error: kernel: there is no file '" +
                                     (root_ / "kernels/scale.cu").string() +
                                     "'; give a path relative to the folder above the case's");
  EXPECT_FALSE(readCase(root_ / "cases/none.json").has_value());
  EXPECT_FALSE(readCase(root_ / "cases").has_value());
}

}  // namespace
}  // namespace qgpu::launch
