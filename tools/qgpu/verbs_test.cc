// Help, and the verbs beside run.
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

TEST_F(CommandTest, EveryVerbHasHelpWithAnExample) {
  for (const char* verb : {"run", "compile", "disasm", "trace", "check", "bench", "info", "manual",
                           "report", "golden", "chat", "eval"}) {
    const Outcome outcome = runCommand({verb, "--help"});
    EXPECT_EQ(outcome.status, 0) << verb;
    EXPECT_THAT(outcome.out, HasSubstr("Example\n  $ qgpu ")) << verb;
    EXPECT_THAT(outcome.out, HasSubstr("Exit status")) << verb;
    EXPECT_THAT(outcome.out, HasSubstr("--json")) << verb;
    EXPECT_THAT(runCommand({"--help"}).out, HasSubstr(verb));
  }
}

TEST_F(CommandTest, HelpKeepsToAHundredColumns) {
  for (const char* verb : {"run", "compile", "disasm", "trace", "check", "bench", "info", "manual",
                           "report", "golden", "chat", "eval"}) {
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
  EXPECT_THAT(outcome.error, Not(HasSubstr("left out")));
}

TEST_F(CommandTest, DisasmSaysWhichSourceItCannotQuote) {
  const std::string ptx =
      ".version 8.0\n.target sm_75\n.address_size 64\n.file 1 \"elsewhere.cu\"\n"
      ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<2>;\n.loc 1 2 3\n"
      "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd1, %rd1;\n"
      "st.global.u32 [%rd1], 5;\nret;\n}\n";
  const Outcome outcome = runCommand({"disasm", folder_.write("k.ptx", ptx)});
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_THAT(outcome.error, HasSubstr("source lines are left out: elsewhere.cu: error: cannot"));
}

// What a case can expect to be rejected is its kernel, not a file that is not there.
TEST_F(CommandTest, ReportWantsToSeeTheKernelItRejects) {
  const std::string file = folder_.write(
      "cases/gone.json",
      R"({"name": "gone", "kernel": "kernels/gone.cu", "entry": "k", "grid": [1, 1, 1],)"
      R"( "block": [1, 1, 1], "params": [], "expect": "reject"})");
  const Outcome gone = runCommand({"report", file});
  EXPECT_EQ(gone.status, 1);
  EXPECT_THAT(gone.out, HasSubstr("0 of 1 cases end as expected"));
  folder_.write("kernels/gone.cu", "__global__ void k() { printf(\"5\"); }");
  EXPECT_EQ(runCommand({"report", file}).status, 0);
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
