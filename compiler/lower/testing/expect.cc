#include "compiler/lower/testing/expect.h"

#include <gtest/gtest.h>

#include <string>

namespace qgpu::lower::testing {

PtxLaunch perThread(std::string_view body) {
  PtxLaunch launch{.ptx = kernelText(1, 0,
                                     "mov.u32 %a0, %tid.x;\nmul.wide.u32 %w0, %a0, 4;\n"
                                     "add.s64 %w1, %p0, %w0;\nmov.u32 %a9, 7;\n" +
                                         std::string(body) + "\nst.global.u32 [%w1], %a9;"),
                   .arrays = {Words(kThreads, 0)}};
  launch.block = {kThreads, 1, 1};
  return launch;
}

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
