// The command as scripts and people see it: exit statuses, the JSON object of each outcome,
// messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "interpreter/base/files.h"
#include "tools/testing/process.h"

namespace qgpu::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

constexpr std::string_view kDot =
    "__global__ void dot(const int* a, const int* b, int* c, int n) {\n"
    "  int i = threadIdx.x;\n"
    "  if (i < n) atomicAdd(c, a[i] * b[i]);\n"
    "}\n";

std::set<std::string> keysOf(const Json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

class CommandTest : public ::testing::Test {
 protected:
  // The command on a kernel file, with `options` after it.
  Outcome runOn(std::string_view source, const std::vector<std::string>& options,
                std::string_view name = "k.cu") {
    std::vector<std::string> arguments = {"run", folder_.write(name, source)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return runCommand(arguments);
  }
  Outcome dot(const std::vector<std::string>& more = {}) {
    std::vector<std::string> options = {"--grid", "1",       "--block", "3",     "--arg", "a=1,2,3",
                                        "--arg",  "b=4,5,6", "--arg",   "c=[1]", "--arg", "n=3"};
    options.insert(options.end(), more.begin(), more.end());
    return runOn(kDot, options);
  }
  // The one object on standard output.
  static Json object(const Outcome& outcome) {
    EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1) << outcome.out;
    Json parsed = Json::parse(outcome.out, nullptr, false);
    EXPECT_TRUE(parsed.is_object()) << outcome.out;
    return parsed;
  }

  TemporaryFolder folder_;
};

// ---- Results -----------------------------------------------------------------------------------

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
  EXPECT_EQ(result["engine"], "interpreter");
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

TEST_F(CommandTest, CheckCountsEveryTokenAndFindsNoMismatch) {
  const Json result = object(dot({"--json", "--check"}));
  EXPECT_EQ(result["check"]["mismatches"], 0);
  EXPECT_EQ(result["check"]["positions"].get<int>(),
            result["tokens"]["model"].get<int>() + result["tokens"]["host"].get<int>());
}

TEST_F(CommandTest, TraceHasOneTokenALineAndEndsWithHalt) {
  const std::string file = (folder_.path() / "dot.trace").string();
  const Json result = object(dot({"--json", "--trace", file}));
  const auto trace = readFile(file);
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(std::count(trace->begin(), trace->end(), '\n'),
            result["tokens"]["model"].get<int>() + result["tokens"]["host"].get<int>());
  EXPECT_THAT(*trace, ::testing::EndsWith("HALT\n"));
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
  const auto trace = readFile(file);
  ASSERT_TRUE(trace.has_value());
  EXPECT_THAT(*trace, ::testing::EndsWith("TRAP\n"));
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

// ---- Cases -------------------------------------------------------------------------------------

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

// ---- Traps and refusals ------------------------------------------------------------------------

TEST_F(CommandTest, AnAddressOutsideMemoryTrapsAtItsLine) {
  const Outcome outcome = runOn(
      "__global__ void k(int* a, int i) {\n"
      "  a[0] = 1;\n"
      "  a[i] = 2;\n"
      "}\n",
      {"--json", "--arg", "a=0", "--arg", "i=100000"});
  EXPECT_EQ(outcome.status, 3);
  const Json result = object(outcome);
  EXPECT_EQ(keysOf(result), (std::set<std::string>{"status", "engine", "message", "location",
                                                   "tokens", "blocks", "registers"}));
  EXPECT_EQ(result["status"], "trap");
  EXPECT_EQ(result["tokens"]["by_kind"]["TRAP"], 1);
  EXPECT_THAT(result["message"].get<std::string>(), HasSubstr("out of range"));
  EXPECT_THAT(result["location"].get<std::string>(), HasSubstr("k.cu:3"));
  EXPECT_THAT(outcome.error, HasSubstr("a[i] = 2;")) << "the line is quoted";
}

TEST_F(CommandTest, AnEndlessLoopTrapsAtTheTokenBudget) {
  const Outcome outcome = runOn("__global__ void k(volatile int* a) { while (a[0] == 0) {} }\n",
                                {"--json", "--max-tokens", "1000", "--arg", "a=0"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(object(outcome)["message"].get<std::string>(), HasSubstr("1000 tokens"));
}

struct BadUse {
  const char* name;
  std::vector<std::string> arguments;  // KERNEL stands for the dot kernel's file
  const char* message;                 // a part of it
};

class RefusalTest : public CommandTest, public ::testing::WithParamInterface<BadUse> {};

TEST_P(RefusalTest, EndsWithStatusTwoAMessageAndAHint) {
  std::vector<std::string> arguments = GetParam().arguments;
  const std::string kernel = folder_.write("dot.cu", kDot);
  for (std::string& argument : arguments)
    if (argument == "KERNEL") argument = kernel;
  const Outcome outcome = runCommand(arguments);
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.error, HasSubstr("error: "));
  EXPECT_THAT(outcome.error, HasSubstr(GetParam().message));

  arguments.push_back("--json");
  const Outcome as_json = runCommand(arguments);
  EXPECT_EQ(as_json.status, 2);
  const Json result = object(as_json);
  EXPECT_EQ(result["status"], "refusal");
  EXPECT_THAT(result["message"].get<std::string>(), HasSubstr(GetParam().message));
  for (const std::string& key : keysOf(result))
    EXPECT_TRUE(key == "status" || key == "message" || key == "location") << key;
}

const std::vector<BadUse> kBadUses = {
    {"UnknownVerb", {"rnu"}, "did you mean `qgpu run`?"},
    {"UnknownOption", {"run", "KERNEL", "--entr", "dot"}, "did you mean --entry?"},
    {"OptionWithoutValue", {"run", "KERNEL", "--arg"}, "--arg"},
    {"TwoFiles", {"run", "KERNEL", "KERNEL"}, "one argument too many"},
    {"NoFile", {"run", "--block", "3"}, "there is no kernel file"},
    {"MissingFile", {"run", "no/such.cu"}, "cannot open"},
    {"Folder", {"run", "/"}, "neither CUDA nor PTX"},
    {"OtherFile", {"run", "a.txt"}, "neither CUDA nor PTX"},
    {"MissingCase", {"run", "--case", "no.json"}, "cannot open"},
    {"CaseAndShape", {"run", "--case", "no.json", "--grid", "1"}, "--case says it all"},
    {"UnknownEntry", {"run", "KERNEL", "--entry", "dott"}, "dot"},
    {"NoArguments", {"run", "KERNEL"}, "missing const int *a, const int *b, int *c, int n"},
    {"TooFewArguments",
     {"run", "KERNEL", "--arg", "a=1,", "--arg", "b=1,", "--arg", "c=0,"},
     "missing int n"},
    {"TooManyArguments",
     {"run", "KERNEL", "--arg", "a=1", "--arg", "b=1", "--arg", "c=0", "--arg", "n=1", "--arg",
      "m=1"},
     "5 are given"},
    {"ArgumentTwice", {"run", "KERNEL", "--arg", "a=1", "--arg", "a=2"}, "'a' twice"},
    {"ArgumentWithoutValue",
     {"run", "KERNEL", "--arg", "a", "--arg", "b=1", "--arg", "c=0", "--arg", "n=1"},
     "has no '='"},
    {"NotANumber",
     {"run", "KERNEL", "--arg", "a=x", "--arg", "b=1", "--arg", "c=0", "--arg", "n=1"},
     "'x' is not a number"},
    {"NumberTooLarge",
     {"run", "KERNEL", "--arg", "a=1", "--arg", "b=1", "--arg", "c=0", "--arg", "n=99999999999"},
     "int does not hold 99999999999"},
    {"ArrayForAScalar",
     {"run", "KERNEL", "--arg", "a=1", "--arg", "b=1", "--arg", "c=0", "--arg", "n=1,2"},
     "an array 'n' to the parameter int n"},
    {"BadShape",
     {"run", "KERNEL", "--block", "three", "--arg", "a=1", "--arg", "b=1", "--arg", "c=0", "--arg",
      "n=1"},
     "not a launch size"},
    {"EmptyBlock",
     {"run", "KERNEL", "--block", "0", "--arg", "a=1", "--arg", "b=1", "--arg", "c=0", "--arg",
      "n=1"},
     "not a launch size"},
    {"LargeBlock",
     {"run", "KERNEL", "--block", "33", "--arg", "a=1", "--arg", "b=1", "--arg", "c=0", "--arg",
      "n=1"},
     "33"},
    {"LargeLaunch",
     {"run", "KERNEL", "--grid", "5", "--block", "32", "--arg", "a=1", "--arg", "b=1", "--arg",
      "c=0", "--arg", "n=1"},
     "160"},
    {"LargeArray",
     {"run", "KERNEL", "--arg", "a=[127]", "--arg", "b=1", "--arg", "c=0", "--arg", "n=1"},
     "126"},
    {"UnknownEngine", {"run", "KERNEL", "--engine", "gpu"}, "there is no engine 'gpu'"},
    {"BadBudget", {"run", "KERNEL", "--max-tokens", "0"}, "--max-tokens"},
    {"UnwritableTrace",
     {"run", "KERNEL", "--block", "1", "--arg", "a=1", "--arg", "b=1", "--arg", "c=0", "--arg",
      "n=1", "--trace", "/no/such/folder/t"},
     "cannot write"},
    {"CompileTwoOutputs", {"compile", "KERNEL", "--ptx", "--asm"}, "excludes"},
    {"DisasmWithoutFile", {"disasm"}, "there is no kernel file"},
    {"TraceWithoutFile", {"trace"}, "file is required"},
    {"TraceOfSomethingElse", {"trace", "KERNEL"}, "there is no token kind"},
    {"UnknownManualPage", {"manual", "madd"}, "the manual has no 'madd'"},
    {"ReportOfNothing", {"report", "/no/such/folder"}, "cannot open"},
};
INSTANTIATE_TEST_SUITE_P(Bad, RefusalTest, ::testing::ValuesIn(kBadUses),
                         [](const auto& param) { return param.param.name; });

TEST_F(CommandTest, ACompileErrorNamesLineAndColumnAndQuotesTheLine) {
  const Outcome outcome = runOn("__global__ void k(int* a) {\n  a[0] = undefined_name;\n}\n", {});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.error, HasSubstr("k.cu:2:10: error: "));
  EXPECT_THAT(outcome.error, HasSubstr("  a[0] = undefined_name;"));
}

TEST_F(CommandTest, FloatsAreRefusedAtTheirLine) {
  const Outcome outcome =
      runOn("__global__ void k(float* a) {\n  a[0] = a[0] * 0.5f;\n}\n", {"--arg", "a=1"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.error, HasSubstr("k.cu:2:"));
  EXPECT_THAT(outcome.error, HasSubstr("float"));
}

TEST_F(CommandTest, SeveralKernelsAreListed) {
  const Outcome outcome = runOn(
      "__global__ void first(int* a) { a[0] = 1; }\n__global__ void second(int* a) { a[0] = 2; }\n",
      {"--arg", "a=0"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.error, HasSubstr("first"));
  EXPECT_THAT(outcome.error, HasSubstr("second"));
}

// ---- The other verbs ---------------------------------------------------------------------------

TEST_F(CommandTest, EveryVerbHasHelpWithAnExample) {
  for (const char* verb : {"run", "compile", "disasm", "trace", "info", "manual", "report"}) {
    const Outcome outcome = runCommand({verb, "--help"});
    EXPECT_EQ(outcome.status, 0) << verb;
    EXPECT_THAT(outcome.out, HasSubstr("Example\n  $ qgpu ")) << verb;
    EXPECT_THAT(outcome.out, HasSubstr("Exit status")) << verb;
    EXPECT_THAT(outcome.out, HasSubstr("--json")) << verb;
    EXPECT_THAT(runCommand({"--help"}).out, HasSubstr(verb));
  }
}

TEST_F(CommandTest, HelpKeepsToAHundredColumns) {
  for (const char* verb : {"run", "compile", "disasm", "trace", "info", "manual", "report"}) {
    std::istringstream lines(runCommand({verb, "--help"}).out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 104u) << line;
  }
}

TEST_F(CommandTest, CompileReportsAndPrintsPtxAndAssembly) {
  const std::string file = folder_.write("dot.cu", kDot);
  const Json report = object(runCommand({"compile", file, "--report", "--json"}));
  EXPECT_EQ(report["status"], "ok");
  for (const char* key : {"blocks", "slots", "registers", "predicates", "spills", "global_words",
                          "shared_words", "parameter_words", "program_tokens", "host_tokens"})
    EXPECT_TRUE(report[key].is_number()) << key;
  EXPECT_THAT(runCommand({"compile", file, "--ptx"}).out, HasSubstr(".visible .entry"));
  EXPECT_THAT(runCommand({"compile", file, "--asm"}).out, StartsWith("block 0:"));
}

TEST_F(CommandTest, PtxThatWasPrintedRunsAndAssemblyThatWasPrintedAssembles) {
  const std::string file = folder_.write("dot.cu", kDot);
  const std::string ptx = (folder_.path() / "dot.ptx").string();
  const std::string assembly = (folder_.path() / "dot.gasm").string();
  EXPECT_EQ(runCommand({"compile", file, "--ptx", "--out", ptx}).status, 0);
  const Outcome outcome = runCommand({ptx, "--block", "3", "--arg", "a=1,2,3", "--arg", "b=4,5,6",
                                      "--arg", "c=[1]", "--arg", "n=3"});
  EXPECT_THAT(outcome.out, HasSubstr("c = [32]")) << outcome.error;
  EXPECT_EQ(runCommand({"compile", file, "--asm", "--out", assembly}).status, 0);
  EXPECT_EQ(runCommand({"disasm", "--asm", assembly}).out, readFile(assembly).value());
}

TEST_F(CommandTest, DisasmQuotesTheSource) {
  const Outcome outcome = runCommand({"disasm", folder_.write("dot.cu", kDot)});
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_THAT(outcome.out, HasSubstr("if (i < n) atomicAdd"));
}

TEST_F(CommandTest, InfoHasTheMachinesSizes) {
  const Json info = object(runCommand({"info", "--json"}));
  EXPECT_EQ(info["machine"]["lanes"], 4);
  EXPECT_EQ(info["machine"]["global_words"], 126);
}

// The generated pages in docs/.
TEST(PagesTest, AreCurrent) {
  const std::string root = QGPU_SOURCE_DIR;
  EXPECT_EQ(runCommand({"manual", "instructions"}).out,
            readFile(root + "/docs/instructions.md").value())
      << "run ci/docs";
  EXPECT_EQ(runCommand({"manual", "tokens"}).out, readFile(root + "/docs/tokens.md").value())
      << "run ci/docs";
}
TEST(PagesTest, KernelTableIsCurrent) {
  const std::string root = QGPU_SOURCE_DIR;
  EXPECT_EQ(runCommand({"report", "--markdown", root + "/conformance/cases"}).out,
            readFile(root + "/docs/kernels.md").value())
      << "run ci/docs";
}

}  // namespace
}  // namespace qgpu::testing
