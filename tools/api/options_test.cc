// Every launch case with each optimisation off, and with all of them off: the same arrays.
#include <gtest/gtest.h>

#include "compiler/launch/case_file.h"
#include "compiler/launch/compare.h"
#include "compiler/lower/testing/run_kernel.h"
#include "conformance/cases.h"
#include "interpreter/testing/sanitized.h"
#include "tools/api/qgpu.h"

namespace qgpu {
namespace {

using launch::Expectation;

struct Count {
  int ran = 0, too_big = 0;
};

void expectSame(const Kernel& kernel, const launch::Case& test_case,
                const lower::testing::NamedOptions& set, Count& count) {
  const auto program = compile(kernel, test_case.launch, set.options);
  if (!program) {
    EXPECT_EQ(program.error().kind, FailureKind::Refusal) << set.name << program.error().text();
    ++count.too_big;
    return;
  }
  const auto result = run(*program, *interpreterEngine());
  ASSERT_TRUE(result.has_value()) << set.name << ": " << result.error().text();
  const launch::Comparison comparison = compare(test_case, result->arrays);
  EXPECT_TRUE(comparison.agrees()) << set.name << ": " << comparison.text();
  ++count.ran;
}

TEST(OptionsTest, EachSwitchComputesTheSame) {
  Count count;
  const auto files = conformance::ownCases();
  for (std::size_t i = 0; i < files.size(); i += isatest::unlessSanitized(1, 24)) {
    const conformance::CaseFile& file = files[i];
    const auto test_case = launch::readCase(file.path);
    ASSERT_TRUE(test_case.has_value()) << test_case.error().text();
    if (test_case->expectation != Expectation::Pass) continue;
    SCOPED_TRACE(file.path);
    const auto source = readSource(test_case->launch.kernel);
    ASSERT_TRUE(source.has_value()) << source.error().text();
    const auto kernel = loadKernel(*source, test_case->launch.entry);
    ASSERT_TRUE(kernel.has_value()) << kernel.error().text();
    for (const auto& set : lower::testing::optionSets())
      if (set.name != "all") expectSame(*kernel, *test_case, set, count);
  }
  // Longer programs may not fit; nearly all do. Of ten kernels, one that fills the ROM is a tenth.
  EXPECT_LT(isatest::unlessSanitized(50, 5) * count.too_big, count.ran);
}

}  // namespace
}  // namespace qgpu
