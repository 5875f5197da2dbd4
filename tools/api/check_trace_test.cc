// Saved traces against the model: true ones pass, and nothing that differs from them does.
#include "tools/api/check_trace.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "interpreter/base/sha256.h"
#include "interpreter/base/temporary_folder.h"
#include "tools/api/circuit.h"
#include "tools/api/qgpu.h"
#include "tools/api/trace.h"

namespace qgpu {
namespace {

using protocol::Token;
using ::testing::HasSubstr;

const model::Circuit& theCircuit() {
  static const model::Circuit kCircuit = std::move(*loadCircuit());
  return kCircuit;
}
TokenAuditor& theAuditor() {
  static TokenAuditor auditor(theCircuit());
  return auditor;
}

// Diverges, loops and waits: tokens of all kinds.
constexpr const char* kSums = R"(
  __global__ void k(int* a, int n) {
    __shared__ int s[8];
    int sum = 0;
    for (int i = 0; i <= threadIdx.x; ++i) sum += a[i] * 70001;
    s[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x < n) a[threadIdx.x] = s[7 - threadIdx.x];
  })";
constexpr const char* kWildStore = "__global__ void k(int* a, int n) { a[1000 * n] = 1; }";

std::vector<Token> hostTokensOf(const char* kernel_text) {
  launch::Launch launch;
  launch.block = {8, 1, 1};
  launch.parameters = {launch::arrayOf("a", {1, 2, 3, 4, 5, 6, 7, 8}), launch::scalarOf("n", 3)};
  const auto kernel = loadKernel({.text = kernel_text, .file_name = "k.cu"});
  check(kernel.has_value(), "the test's kernel is one");
  const auto program = compile(*kernel, launch);
  check(program.has_value(), "the test's kernel fits");
  return protocol::hostTokens(program->image);
}

class CheckTraceTest : public ::testing::Test {
 protected:
  static const std::vector<Token>& host() {
    static const std::vector<Token> kHost = hostTokensOf(kSums);
    return kHost;
  }
  static const EngineRun& proposed() {
    static const EngineRun kRun = *interpreterEngine()->run(host(), {});
    return kRun;
  }
  static TraceVerdict verdict(std::span<const Token> host_tokens, const EngineRun& run) {
    const auto trace = readTraceText(traceText({"k", "interpreter", {}}, host_tokens, run), "t");
    check(trace.has_value(), "a trace that was written can be read");
    auto result = checkTrace(theAuditor(), *trace, "t");
    EXPECT_TRUE(result.has_value());
    return std::move(*result);
  }
};

TEST_F(CheckTraceTest, WhatTheInterpreterProposesTheModelVerifies) {
  const TraceVerdict v = verdict(host(), proposed());
  EXPECT_TRUE(v.agrees()) << v.fault->text();
  EXPECT_EQ(v.check.positions,
            static_cast<std::int64_t>(host().size() + proposed().written.size()));
  EXPECT_EQ(v.ending, Ending::Halted);
  EXPECT_EQ(v.end_state, proposed().end_state);
  EXPECT_EQ(v.launch, sha256(formatTrace(host())));
}

TEST_F(CheckTraceTest, ModelAndInterpreterLeaveTheSameHash) {
  const auto engine = modelEngine();
  ASSERT_TRUE(engine.has_value());
  const auto run = (*engine)->run(host(), {});
  EXPECT_EQ(run->written, proposed().written);
  EXPECT_EQ(run->end_state, proposed().end_state);
  EXPECT_EQ((*engine)->weights().size(), 64u);
}

// Chained anew by whoever altered it: the weights still find it, at its place.
TEST_F(CheckTraceTest, AForgedTokenIsFoundAtItsPlace) {
  for (std::size_t i = 0; i < proposed().written.size(); ++i) {
    EngineRun forged = proposed();
    const int id = forged.written[i].id();
    forged.written[i] = *Token::fromId(id == 0 ? 1 : id - 1);
    const TraceVerdict v = verdict(host(), forged);
    ASSERT_FALSE(v.agrees()) << i;
    EXPECT_EQ(v.check.positions, static_cast<std::int64_t>(host().size() + i + 1));
    EXPECT_EQ(v.fault->location.line, 5 + static_cast<int>(host().size() + i + 1));
  }
}

TEST_F(CheckTraceTest, AForgedEndIsFound) {
  EngineRun run = proposed();
  run.end_state = sha256("another");
  EXPECT_THAT(verdict(host(), run).fault->message, HasSubstr("state at the end"));
  run = proposed();
  run.ending = Ending::Trapped;
  EXPECT_THAT(verdict(host(), run).fault->message, HasSubstr("halted"));
  run = proposed();
  run.written.pop_back();
  EXPECT_THAT(verdict(host(), run).fault->message, HasSubstr("HALT comes next"));
  run = proposed();
  run.written.push_back(Token::halt());
  EXPECT_THAT(verdict(host(), run).fault->message, HasSubstr("follows the launch's end"));
}

TEST_F(CheckTraceTest, AnUnfinishedTraceThatSaysSoIsTrue) {
  const auto run = interpreterEngine()->run(host(), {.max_tokens = 20});
  ASSERT_EQ(run->ending, Ending::OutOfTokens);
  const TraceVerdict v = verdict(host(), *run);
  EXPECT_TRUE(v.agrees()) << v.fault->text();
  EXPECT_EQ(v.ending, Ending::OutOfTokens);
}

TEST_F(CheckTraceTest, ATrappedLaunchIsTrueToo) {
  const std::vector<Token> wild = hostTokensOf(kWildStore);
  const auto run = interpreterEngine()->run(wild, {});
  ASSERT_EQ(run->ending, Ending::Trapped);
  const TraceVerdict v = verdict(wild, *run);
  EXPECT_TRUE(v.agrees()) << v.fault->text();
  EXPECT_EQ(v.ending, Ending::Trapped);
}

// Token by token and many at once: the same words about the same position.
TEST_F(CheckTraceTest, BothWaysToAuditSayTheSame) {
  TokenAuditor plain(theCircuit(), {.plain = true}), threaded(theCircuit(), {.threads = 3});
  EngineRun forged = proposed();
  forged.written[20] = Token::halt();
  for (const EngineRun* run : std::initializer_list<const EngineRun*>{&proposed(), &forged}) {
    std::vector<Token> tokens = host();
    tokens.insert(tokens.end(), run->written.begin(), run->written.end());
    const TokenAudit expected = plain.audit(tokens, host().size());
    for (TokenAuditor* auditor : {&theAuditor(), &threaded}) {
      const TokenAudit audit = auditor->audit(tokens, host().size());
      EXPECT_EQ(audit.check, expected.check);
      EXPECT_EQ(audit.ending, expected.ending);
      EXPECT_EQ(audit.end_state, expected.end_state);
    }
  }
}

TEST_F(CheckTraceTest, AnotherInstructionTableIsRefused) {
  auto trace = readTraceText(traceText({"k", "interpreter", {}}, host(), proposed()), "t");
  trace->machine = sha256("another");
  EXPECT_FALSE(checkTrace(theAuditor(), *trace, "t").has_value());
}

// Several files on several threads, one of them missing; and the report, twice.
TEST_F(CheckTraceTest, ManyFilesAtOnceAndAReportThatOthersCanMakeAgain) {
  const TemporaryFolder folder;
  std::vector<std::filesystem::path> files;
  for (int i = 0; i < 5; ++i) {
    files.push_back(folder / fmt::format("{}.trace", i));
    EngineRun run = proposed();
    if (i == 3) run.written[7] = Token::halt();
    ASSERT_TRUE(writeTrace(files.back(), {"k", "interpreter", {}}, host(), run).has_value());
  }
  files.push_back(folder / "none.trace");
  std::atomic<std::int64_t> told = 0;
  const auto reportOf = [&](int jobs) {
    told = 0;
    std::int64_t positions = 0;
    std::vector<TraceVerdict> good;
    for (const auto& v : checkTraces(
             theCircuit(), files, {.jobs = jobs, .on_positions = [&](auto more) { told += more; }}))
      if (v) good.push_back(*v), positions += v->check.positions;
    EXPECT_EQ(told, positions);
    EXPECT_EQ(good.size(), 5u);
    return auditReport(theCircuit(), "1", good);
  };
  const auto report = reportOf(1);
  EXPECT_EQ(report, reportOf(3));
  EXPECT_EQ(report["mismatches"], 1);
  EXPECT_EQ(report["traces"][2]["agrees"], true);
  EXPECT_EQ(report["traces"][3]["agrees"], false);
  EXPECT_EQ(report["traces"][3]["positions"], host().size() + 8);
}

}  // namespace
}  // namespace qgpu
