// What the command says when it cannot go on: exit statuses, messages, places.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tools/testing/command_test.h"

namespace qgpu::testing {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace qgpu::testing
