// Every expected array against fresh native runs of the same kernel, in three thread orders.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "compiler/launch/case_file.h"
#include "compiler/launch/compare.h"
#include "conformance/cases.h"
#include "conformance/cpu/native.h"
#include "conformance/cpu/registry.h"

namespace qgpu::conformance {
namespace {

constexpr std::array kOrders = {cpu::Order::Forward, cpu::Order::Backward, cpu::Order::Interleaved};

class NativeTest : public ::testing::TestWithParam<CaseFile> {};

TEST_P(NativeTest, ExpectedValuesAreWhatTheKernelComputes) {
  const CaseFile& file = GetParam();
  const auto test_case = launch::readCase(file.path);
  ASSERT_TRUE(test_case.has_value()) << test_case.error().text();
  const std::string kernel = nativeName(file.suite, test_case->launch);
  ASSERT_FALSE(test_case->expected.empty()) << "run conformance_record";
  for (const cpu::Order order : kOrders) {
    const auto arrays = cpu::runNatively(kernel, test_case->launch, order);
    ASSERT_TRUE(arrays.has_value()) << arrays.error().text();
    const launch::Comparison result = launch::compare(*test_case, *arrays);
    EXPECT_TRUE(result.agrees()) << "order " << static_cast<int>(order) << "\n" << result.text();
  }
}

std::vector<CaseFile> nativeOwnCases() {
  std::vector<CaseFile> files = ownCases();
  std::erase_if(files, [](const CaseFile& file) {
    const auto test_case = launch::readCase(file.path);
    return test_case && test_case->expectation == launch::Expectation::Reject;
  });
  return files;
}

// Not all shared cases have a kernel that a CPU can run: some are PTX, some are meant to be
// refused.
std::vector<CaseFile> nativeSharedCases() {
  std::vector<CaseFile> files = sharedCases();
  std::erase_if(files, [](const CaseFile& file) {
    const auto test_case = launch::readCase(file.path);
    return !test_case ||
           cpu::compiledKernels().find(nativeName(file.suite, test_case->launch)) == nullptr;
  });
  return files;
}

std::string testNameOf(const ::testing::TestParamInfo<CaseFile>& info) {
  return info.param.testName();
}

INSTANTIATE_TEST_SUITE_P(Own, NativeTest, ::testing::ValuesIn(nativeOwnCases()), testNameOf);
// Expected values that others computed with emulators of theirs: a check of our runner.
INSTANTIATE_TEST_SUITE_P(Shared, NativeTest, ::testing::ValuesIn(nativeSharedCases()), testNameOf);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NativeTest);

}  // namespace
}  // namespace qgpu::conformance
