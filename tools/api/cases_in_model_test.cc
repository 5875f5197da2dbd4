// Every launch case that the interpreter runs, in the model, with the whole state checked after
// every token: our own, and those beside the repository where there are any.
#include <gtest/gtest.h>

#include "compiler/launch/case_file.h"
#include "compiler/launch/compare.h"
#include "conformance/cases.h"
#include "interpreter/testing/sanitized.h"
#include "tools/api/qgpu.h"

namespace qgpu {
namespace {

using conformance::CaseFile;

// With sanitizers a sample runs: a part of one shard.
constexpr std::size_t kShards = isatest::unlessSanitized(24, 48);
constexpr std::size_t kShardsRun = isatest::unlessSanitized(kShards, std::size_t{1});

class CasesInTheModel : public ::testing::TestWithParam<std::size_t> {
 protected:
  static Engine& engine() {
    static const auto kEngine = modelEngine().value_or(nullptr);
    check(kEngine != nullptr, "the machine fits the model");
    return *kEngine;
  }

  static void expectChecked(const CaseFile& file) {
    const auto test_case = launch::readCase(file.path);
    ASSERT_TRUE(test_case.has_value()) << test_case.error().text();
    if (!run(test_case->launch, *interpreterEngine())) return;
    const auto result = run(test_case->launch, engine(), {.check = true});
    ASSERT_TRUE(result.has_value()) << file.testName() << ": " << result.error().text();
    const launch::Comparison comparison = compare(*test_case, result->arrays);
    EXPECT_TRUE(comparison.agrees()) << file.testName() << ": " << comparison.text();
    EXPECT_GT(result->check->positions, 0);
    EXPECT_EQ(result->check->mismatches, 0) << file.testName() << ": " << result->check->first;
  }
};

TEST_P(CasesInTheModel, AgreeWithTheInterpreterInEveryState) {
  const std::vector<CaseFile> cases = conformance::allCases();
  for (std::size_t i = GetParam(); i < cases.size(); i += kShards) expectChecked(cases[i]);
}

INSTANTIATE_TEST_SUITE_P(All, CasesInTheModel, ::testing::Range(std::size_t{0}, kShardsRun));

}  // namespace
}  // namespace qgpu
