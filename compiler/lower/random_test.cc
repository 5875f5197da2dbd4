// Random kernels against their meaning, under every set of options.
#include <gtest/gtest.h>

#include "compiler/lower/testing/random_kernel.h"
#include "interpreter/testing/sanitized.h"

namespace qgpu::lower {
namespace {

using testing::NamedOptions;
using testing::optionSets;
using testing::PtxLaunch;
using testing::RandomKernel;
using testing::runPtx;
using testing::Statements;

enum class Outcome { Right, Wrong, TooBig };

Outcome outcome(const RandomKernel& kernel, const Options& options) {
  const auto arrays = runPtx(kernel.launch(), options);
  if (!arrays) {
    const bool size = arrays.error().message.find(" needs ") != std::string::npos;
    return size && arrays.error().kind == FailureKind::Refusal ? Outcome::TooBig : Outcome::Wrong;
  }
  return arrays->at(RandomKernel::kOutput) == kernel.expected() ? Outcome::Right : Outcome::Wrong;
}

// Leaves out statements as long as the answer stays wrong.
bool shrinkOnce(RandomKernel& kernel, Statements& list, const Options& options) {
  for (std::size_t n = 0; n < list.size(); ++n) {
    const Statements before = list;
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(n));
    if (outcome(kernel, options) == Outcome::Wrong) return true;
    list = before;
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(n));
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(n), before[n].then.begin(),
                before[n].then.end());
    if (!before[n].then.empty() && outcome(kernel, options) == Outcome::Wrong) return true;
    list = before;
    if (shrinkOnce(kernel, list[n].then, options)) return true;
    if (shrinkOnce(kernel, list[n].otherwise, options)) return true;
  }
  return false;
}

std::string smallest(RandomKernel kernel, const Options& options) {
  while (shrinkOnce(kernel, kernel.statements(), options)) {
  }
  const auto arrays = runPtx(kernel.launch(), options);
  return kernel.launch().ptx + (arrays ? "wrong result" : arrays.error().text());
}

class RandomTest : public ::testing::TestWithParam<NamedOptions> {};

TEST_P(RandomTest, ComputesWhatItMeans) {
  constexpr std::uint32_t kKernels = isatest::unlessSanitized(60u, 10u);
  const Options& options = GetParam().options;
  std::uint32_t too_big = 0;
  for (std::uint32_t seed = 0; seed < kKernels; ++seed) {
    const RandomKernel kernel(seed);
    const Outcome result = outcome(kernel, options);
    if (result == Outcome::TooBig) ++too_big;
    ASSERT_NE(result, Outcome::Wrong) << "seed " << seed << "\n" << smallest(kernel, options);
  }
  // Most of them must run, or nothing is tested.
  EXPECT_LT(too_big, options.forward ? kKernels / 6 + 1 : kKernels * 2 / 3);
}

std::string nameOf(const ::testing::TestParamInfo<NamedOptions>& set) {
  std::string name = set.param.name;
  for (char& c : name)
    if (c == ' ') c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Options, RandomTest, ::testing::ValuesIn(optionSets()), nameOf);

}  // namespace
}  // namespace qgpu::lower
