// Every launch case through the whole chain: our own, and those beside the repository where there
// are any.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/launch/case_file.h"
#include "compiler/launch/compare.h"
#include "conformance/cases.h"
#include "tools/api/qgpu.h"

namespace qgpu {
namespace {

using conformance::CaseFile;
using launch::Expectation;

class CasesTest : public ::testing::TestWithParam<CaseFile> {};

// Rejected cases: the failure has a message, and a Trap belongs to the run.
void expectRejected(const launch::Case& test_case, const Expected<Result>& result) {
  ASSERT_FALSE(result.has_value()) << "ran, but should be rejected: " << test_case.reject_reason;
  const Failure& failure = result.error();
  EXPECT_GT(failure.message.size(), 10u) << failure.text();
  if (test_case.reject_stage == "run")
    EXPECT_NE(failure.kind, FailureKind::Bug) << failure.text();
  else
    EXPECT_EQ(failure.kind, FailureKind::Refusal) << failure.text();
}

TEST_P(CasesTest, EndsAsTheCaseSays) {
  const auto test_case = launch::readCase(GetParam().path);
  ASSERT_TRUE(test_case.has_value()) << test_case.error().text();
  const auto result = run(test_case->launch, *interpreterEngine(), {.check = true});
  if (test_case->expectation == Expectation::Reject) return expectRejected(*test_case, result);
  if (!result) {
    ASSERT_EQ(test_case->expectation, Expectation::PassOrReject) << result.error().text();
    EXPECT_EQ(result.error().kind, FailureKind::Refusal) << result.error().text();
    return;
  }
  const launch::Comparison comparison = compare(*test_case, result->arrays);
  EXPECT_TRUE(comparison.agrees()) << comparison.text();
  EXPECT_EQ(result->check->mismatches, 0) << result->check->first;
}

std::string testNameOf(const ::testing::TestParamInfo<CaseFile>& info) {
  return info.param.testName();
}
INSTANTIATE_TEST_SUITE_P(All, CasesTest, ::testing::ValuesIn(conformance::allCases()), testNameOf);

}  // namespace
}  // namespace qgpu
