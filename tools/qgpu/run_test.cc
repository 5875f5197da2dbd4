// `qgpu run` as scripts and people see it: results, the JSON object, traces, cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include <string>

#include "interpreter/base/files.h"
#include "tools/testing/command_test.h"

namespace qgpu::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(CommandTest, RunPrintsTheArraysThatAKernelMayWrite) {
  const Outcome outcome = dot();
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_THAT(outcome.out, StartsWith("c = [32]\n"));
  EXPECT_EQ(outcome.error, "");
}

TEST_F(CommandTest, AFileAloneMeansRun) {
  const std::string file = folder_.write("dot.cu", kDot);
  const Outcome outcome = runCommand({file, "--block", "3", "--arg", "a=1,2,3", "--arg", "b=4,5,6",
                                      "--arg", "c=0", "--arg", "n=3"});
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_THAT(outcome.out, StartsWith("c = [32]\n"));
}

TEST_F(CommandTest, JsonOfARunHasTheStatedKeysAndNothingElse) {
  const Json result = object(dot({"--json"}));
  EXPECT_EQ(keysOf(result),
            (std::set<std::string>{"status", "engine", "arrays", "tokens", "blocks", "registers"}));
  EXPECT_EQ(result["status"], "ok");
  EXPECT_EQ(result["engine"], "model");
  EXPECT_EQ(result["arrays"], Json::parse(R"({"a": [1, 2, 3], "b": [4, 5, 6], "c": [32]})"));
  EXPECT_EQ(keysOf(result["tokens"]), (std::set<std::string>{"model", "host", "by_kind"}));
  std::int64_t sum = 0;
  for (const auto& [kind, count] : result["tokens"]["by_kind"].items())
    sum += count.get<std::int64_t>();
  EXPECT_EQ(result["tokens"]["model"], sum);
  EXPECT_LE(sum, 6) << "the dot product of three takes at most six tokens";
  EXPECT_EQ(result["tokens"]["by_kind"]["HALT"], 1);
}

TEST_F(CommandTest, JsonKeepsStandardErrorForDiagnosticsAndOutForTheObject) {
  const Outcome outcome =
      runOn(kDot, {"--json", "--arg", "a=1", "--arg", "b=1", "--arg", "c=0", "--arg", "n=1"});
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_EQ(object(outcome)["arrays"]["c"], Json::parse("[1]"));
}

TEST_F(CommandTest, WarningsGoToStandardErrorAndChangeNothingElse) {
  const std::string kernel =
      "__global__ void k(int* a) { a[0] = __shfl_down_sync(~0u, threadIdx.x, 8); }";
  const Outcome outcome = runOn(kernel, {"--json", "--arg", "a=[1]"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(object(outcome)["arrays"]["a"], Json::parse("[0]"));
  EXPECT_THAT(outcome.error, HasSubstr(":1:36: warning: a shuffle reaches 8 lanes far"));
}

TEST_F(CommandTest, OutputsNeverReplaceWhatIsRead) {
  const std::string file = folder_.write("dot.cu", kDot);
  const std::vector<std::string> launch = {file,      "--block", "3",   "--arg", "a=1,2,3", "--arg",
                                           "b=4,5,6", "--arg",   "c=0", "--arg", "n=3"};
  const std::vector<std::vector<std::string>> commands = {
      {"run", "--trace", file}, {"compile", "--out", file}, {"compile", "--ptx", "--out", file}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.end(), launch.begin(), launch.end());
    const Outcome outcome = runCommand(command);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.error, HasSubstr("dot.cu: error: is read and would be overwritten"));
    EXPECT_EQ(readFile(file), kDot);
  }
}

TEST_F(CommandTest, FoldersMayHaveAnyName) {
  EXPECT_EQ(
      runOn(kDot, {"--block", "1", "--arg", "a=1", "--arg", "b=2", "--arg", "c=0", "--arg", "n=1"},
            "\u00fcn\u00ef.cu")
          .status,
      0);
}

TEST_F(CommandTest, CheckCountsEveryTokenAndFindsNoMismatch) {
  const Json result = object(dot({"--json", "--check"}));
  EXPECT_EQ(result["check"]["mismatches"], 0);
  EXPECT_EQ(result["check"]["positions"].get<int>(),
            result["tokens"]["model"].get<int>() + result["tokens"]["host"].get<int>());
}

// Lines with # belong to the file, not to the launch.
std::vector<std::string> tokenLines(const std::string& file) {
  std::vector<std::string> lines;
  std::istringstream text(readFile(file).value());
  for (std::string line; std::getline(text, line);)
    if (!line.starts_with('#')) lines.push_back(line);
  return lines;
}

TEST_F(CommandTest, TraceHasOneTokenALineAndEndsWithHalt) {
  const std::string file = (folder_.path() / "dot.trace").string();
  const Json result = object(dot({"--json", "--trace", file}));
  const auto trace = tokenLines(file);
  EXPECT_EQ(static_cast<int>(trace.size()),
            result["tokens"]["model"].get<int>() + result["tokens"]["host"].get<int>());
  EXPECT_EQ(trace.back(), "HALT");
  const Outcome shown = runCommand({"trace", file});
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.out, HasSubstr("block 0 for threads 0,1,2"));
  EXPECT_THAT(shown.out, HasSubstr("= 32"));
}

TEST_F(CommandTest, ATraceOfATrappedLaunchIsWrittenToo) {
  const std::string file = (folder_.path() / "trap.trace").string();
  const Outcome outcome = runOn("__global__ void k(int* a, int i) { a[i] = 1; }\n",
                                {"--arg", "a=1", "--arg", "i=1000", "--trace", file});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(tokenLines(file).back(), "TRAP");
}

TEST_F(CommandTest, WithoutAShapeThereIsAThreadForEachElementAndANoteSaysSo) {
  const std::string source =
      "__global__ void k(int* a) {\n"
      "  a[blockIdx.x * blockDim.x + threadIdx.x] += blockDim.x;\n"
      "}\n";
  const Outcome small = runOn(source, {"--arg", "a=[7]"});
  EXPECT_EQ(small.status, 0) << small.error;
  EXPECT_THAT(small.out, HasSubstr("a = [7, 7, 7, 7, 7, 7, 7]"));
  EXPECT_THAT(small.error, HasSubstr("<<<1, 7>>>"));
  const Outcome large = runOn(source, {"--arg", "a=[64]"});
  EXPECT_EQ(large.status, 0) << large.error;
  EXPECT_THAT(large.error, HasSubstr("<<<2, 32>>>"));
}

TEST_F(CommandTest, ArgumentsTakeTheirTypesFromTheKernel) {
  const Outcome outcome = runOn(
      "__global__ void k(unsigned char* a, short* b, long long* c, unsigned d) {\n"
      "  a[0] += 250; b[0] -= 1; c[0] = a[0]; b[1] = d >> 31;\n"
      "}\n",
      {"--block", "1", "--json", "--arg", "a=10,20", "--arg", "b=-5,0", "--arg", "c=[1:-7]",
       "--arg", "d=4000000000"});
  const Json result = object(outcome);
  EXPECT_EQ(result["arrays"]["a"], Json::parse("[4, 20]")) << outcome.error;
  EXPECT_EQ(result["arrays"]["b"], Json::parse("[-6, 1]"));
  EXPECT_EQ(result["arrays"]["c"], Json::parse("[4]"));
}

TEST_F(CommandTest, ArgumentsUnderTheKernelsNamesMayComeInAnyOrder) {
  const Outcome outcome = runOn(kDot, {"--block", "3", "--arg", "n=3", "--arg", "c=0", "--arg",
                                       "b=4,5,6", "--arg", "a=1,2,3"});
  EXPECT_THAT(outcome.out, StartsWith("c = [32]\n")) << outcome.error;
}

TEST_F(CommandTest, ArgumentsUnderOtherNamesStandInParameterOrder) {
  const Outcome outcome = runOn(kDot, {"--block", "3", "--arg", "x=1,2,3", "--arg", "y=4,5,6",
                                       "--arg", "out=0,", "--arg", "count=3"});
  EXPECT_THAT(outcome.out, StartsWith("out = [32]\n")) << outcome.error;
}

TEST_F(CommandTest, LongArraysAreRowsWithTheIndexOfTheirFirstElement) {
  const Outcome outcome =
      runOn("__global__ void k(int* a) { a[threadIdx.x] = 1000000; }\n", {"--arg", "a=[32]"});
  EXPECT_THAT(outcome.out, HasSubstr("a = \n  [ 0]  1000000")) << outcome.error;
  EXPECT_THAT(outcome.out, Not(HasSubstr("\x1b")));
}

std::string caseText(std::string_view expected) {
  return R"({"name": "dot", "kernel": "kernels/dot.cu", "entry": "dot", "block": [3, 1, 1], "params": [
    {"name": "a", "kind": "array", "elem": "int", "data": [1, 2, 3]},
    {"name": "b", "kind": "array", "elem": "int", "data": [4, 5, 6]},
    {"name": "c", "kind": "array", "elem": "int", "data": [0]},
    {"name": "n", "kind": "scalar", "type": "int", "value": 3}],
    "expected": {"c": [)" +
         std::string(expected) + "]}}";
}

TEST_F(CommandTest, ACaseAgrees) {
  folder_.write("kernels/dot.cu", kDot);
  const std::string file = folder_.write("cases/dot.json", caseText("32"));
  EXPECT_EQ(runCommand({"run", "--case", file}).status, 0);
  EXPECT_EQ(runCommand({"--case", file}).status, 0) << "options of run may stand without a verb";
  EXPECT_EQ(object(runCommand({"run", "--case", file, "--json"}))["status"], "ok");
}

// As a finding of fuzz_launch lies in its folder: the kernel beside the case.
TEST_F(CommandTest, AFileTakesThePlaceOfTheKernelThatACaseNames) {
  const std::string kernel = folder_.write("found.cu", kDot);
  const std::string file = folder_.write("found.json", caseText("32"));
  EXPECT_EQ(runCommand({kernel, "--case", file}).status, 0);
  EXPECT_EQ(runCommand({"--case", file}).status, 2) << "there is no kernels/dot.cu";
}

TEST_F(CommandTest, ACaseDisagrees) {
  folder_.write("kernels/dot.cu", kDot);
  const std::string file = folder_.write("cases/dot.json", caseText("33"));
  const Outcome outcome = runCommand({"run", "--case", file, "--json"});
  EXPECT_EQ(outcome.status, 1);
  const Json result = object(outcome);
  EXPECT_EQ(result["status"], "mismatch");
  EXPECT_THAT(result["message"].get<std::string>(), HasSubstr("c[0]: expected 33, got 32"));
  EXPECT_THAT(runCommand({"run", "--case", file}).out, HasSubstr("c[0]: expected 33, got 32"));
}

TEST_F(CommandTest, ACaseThatShouldBeRejectedDisagreesWhenItRuns) {
  folder_.write("kernels/dot.cu", kDot);
  std::string text = caseText("32");
  text.insert(1, R"("expect": "reject", )");
  const std::string file = folder_.write("cases/dot.json", text);
  EXPECT_EQ(runCommand({"run", "--case", file}).status, 1);
  EXPECT_EQ(object(runCommand({"run", "--case", file, "--json"}))["status"], "mismatch");
}

TEST_F(CommandTest, ReportTabulatesCases) {
  folder_.write("kernels/dot.cu", kDot);
  folder_.write("cases/good.json", caseText("32"));
  const std::string folder = (folder_.path() / "cases").string();
  EXPECT_EQ(runCommand({"report", folder}).status, 0);
  folder_.write("cases/wrong.json", caseText("33"));
  const Outcome outcome = runCommand({"report", folder, "--json"});
  EXPECT_EQ(outcome.status, 1);
  const Json result = object(outcome);
  EXPECT_EQ(result["cases"][0]["status"], "ok");
  EXPECT_EQ(result["cases"][1]["status"], "mismatch");
}

}  // namespace
}  // namespace qgpu::testing
