#include "compiler/lower/testing/expect.h"

#include <gtest/gtest.h>

namespace qgpu::lower::testing {

void expectFirst(const PtxLaunch& launch, const Words& expected) {
  for (const auto& [name, options] : optionSets()) {
    const auto arrays = runPtx(launch, options);
    ASSERT_TRUE(arrays.has_value()) << name << ": " << arrays.error().text();
    EXPECT_EQ(arrays->front(), expected) << name << "\n" << launch.ptx;
  }
}

void expectFor(const PtxLaunch& launch, const std::function<std::uint32_t(std::uint32_t)>& result) {
  Words expected;
  for (std::uint32_t t = 0; t < launch.block.count(); ++t) expected.push_back(result(t));
  expectFirst(launch, expected);
}

}  // namespace qgpu::lower::testing
