// What tools answer to good and bad calls.
#include "tools/chat/tool/tool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qgpu::chat {
namespace {

using model::ToolCall;
using ::testing::HasSubstr;

Engine& engine() {
  static const auto interpreter = interpreterEngine();
  return *interpreter;
}

ToolCall calculation(const std::string& expression) {
  return {"calculate", {{"expression", expression}}};
}

TEST(Calculator, AnswersWithTheValue) {
  const auto tool = calculatorTool(engine());
  const ToolResult result = tool->run(calculation("[1, 2, 3] @ [4, 5, 6]"));
  EXPECT_TRUE(result.good);
  EXPECT_EQ(result.response, "32");
  EXPECT_EQ(result.values[0].second, (std::vector<std::int64_t>{32}));
  EXPECT_EQ(result.launches.size(), 1u);
}

TEST(Calculator, AnswersWithWhatIsWrong) {
  const auto tool = calculatorTool(engine());
  EXPECT_FALSE(tool->run(calculation("[1, 2] + [3]")).good);
  EXPECT_THAT(tool->run(calculation("[1, 2] + [3]")).response, HasSubstr("expression:1:8: error"));
  EXPECT_THAT(tool->run(calculation("1 / 0")).response, HasSubstr("trap: division by zero"));
  EXPECT_THAT(tool->run({"calc", {{"expression", "1"}}}).response, HasSubstr("call calculate"));
  EXPECT_THAT(tool->run({"calculate", {{"text", "1"}}}).response, HasSubstr("call calculate"));
  EXPECT_THAT(tool->run({"calculate", {{"expression", 1}}}).response, HasSubstr("call calculate"));
}

constexpr const char* kSum =
    "__global__ void total(const int *a, int *out, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) atomicAdd(out, a[i]);\n"
    "}\n";

ToolCall launch(const std::string& kernel, const std::string& arguments,
                const std::string& grid = "1", const std::string& block = "4") {
  return {"cuda", {{"kernel", kernel}, {"grid", grid}, {"block", block}, {"arguments", arguments}}};
}

TEST(KernelTool, AnswersWithTheArraysThatCanChange) {
  const auto tool = kernelTool(engine());
  const ToolResult result = tool->run(launch(kSum, R"({"a": [1, 2, 3, 4], "out": [0], "n": 4})"));
  EXPECT_TRUE(result.good) << result.response;
  EXPECT_EQ(result.response, "out = [10]");
  ASSERT_EQ(result.values.size(), 1u);
  EXPECT_EQ(result.values[0].first, "out");
  EXPECT_GT(result.launches.at(0).recording.run.written.size(), 2u);
}

TEST(KernelTool, ArgumentsMayComeInAnyOrder) {
  const auto tool = kernelTool(engine());
  EXPECT_EQ(tool->run(launch(kSum, R"({"n": 2, "out": [5], "a": [1, 2, 3]})")).response,
            "out = [8]");
}

struct Bad {
  ToolCall call;
  const char* message;
};

TEST(KernelTool, AnswersWithWhatIsWrong) {
  const auto tool = kernelTool(engine());
  const std::string good = R"({"a": [1], "out": [0], "n": 1})";
  const Bad bad[] = {
      {launch("__global__ void k(int *a) { a[0] = b; }", R"({"a": [1]})"),
       "kernel.cu:1:36: error: use of undeclared identifier 'b'"},
      {launch("__global__ void k(float *a) { a[0] *= 0.5f; }", R"({"a": [1]})"), "floating point"},
      {launch("int x;", "{}"), "kernel.cu"},
      {launch("", "{}"), "kernel.cu"},
      {launch(kSum, "{}"), "missing const int *a, int *out, int n"},
      {launch(kSum, "[1]"), "neither an integer nor a list"},
      {launch(kSum, "{"), "arguments:1:"},
      {launch(kSum, R"({"a": [], "out": [0], "n": 1})"), "argument a is neither"},
      {launch(kSum, R"({"a": [1.5], "out": [0], "n": 1})"), "argument a is neither"},
      {launch(kSum, R"({"a": [1], "a": [1], "out": [0], "n": 1})"), "arguments:"},
      {launch(kSum, R"({"a": [99999999999], "out": [0], "n": 1})"), "99999999999"},
      {launch(kSum, good, "0"), "grid is not a positive number"},
      {launch(kSum, good, "1", "x"), "block is not a positive number"},
      {launch(kSum, good, "1", "33"), "33"},
      {launch(kSum, good, "5", "32"), "160"},
      {launch("__global__ void k(volatile int *a) { while (a[0] == 0) {} }", R"({"a": [0]})"),
       "did not end within 200000 tokens"},
      {launch("__global__ void k(int *a) { a[1000] = 1; }", R"({"a": [0]})"), "out of range"},
      {launch("__global__ void k(const int *a) {}", R"({"a": [0]})"),
       "no array that it can change"},
      {{"cuda", {{"kernel", kSum}}}, "call cuda with"},
  };
  for (const Bad& b : bad) {
    const ToolResult result = tool->run(b.call);
    EXPECT_FALSE(result.good) << b.message;
    EXPECT_THAT(result.response, HasSubstr(b.message));
  }
}

TEST(Tools, DescribeThemselvesAsChatTemplatesWantIt) {
  for (const auto& tool : {calculatorTool(engine()), kernelTool(engine())}) {
    const auto& function = tool->description()["function"];
    EXPECT_EQ(tool->description()["type"], "function");
    EXPECT_FALSE(function["description"].get<std::string>().empty());
    for (const auto& name : function["parameters"]["required"])
      EXPECT_TRUE(function["parameters"]["properties"].contains(name.get<std::string>()));
  }
}

}  // namespace
}  // namespace qgpu::chat
