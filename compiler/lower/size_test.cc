// Kernels beyond the machine's sizes are refused with the numbers, and those just within run.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/lower/testing/run_kernel.h"

namespace qgpu::lower {
namespace {

using ::testing::HasSubstr;
using testing::kernelText;
using testing::lowerPtx;
using testing::PtxLaunch;
using testing::runPtx;
using testing::Words;

// Stores to one word, each of which takes a block.
PtxLaunch stores(int count) {
  std::string body;
  for (int n = 0; n < count; ++n) body += fmt::format("st.volatile.global.u32 [%p0], {};\n", n);
  return {.ptx = kernelText(1, 0, body), .arrays = {Words{99}}};
}

TEST(SizeTest, AsManyBlocksAsTheRomHolds) {
  const auto arrays = runPtx(stores(32));
  ASSERT_TRUE(arrays.has_value()) << arrays.error().text();
  EXPECT_EQ(arrays->front(), Words{31});
}

TEST(SizeTest, OneBlockMore) {
  const auto lowered = lowerPtx(stores(33));
  ASSERT_FALSE(lowered.has_value());
  EXPECT_EQ(lowered.error().kind, FailureKind::Refusal);
  EXPECT_THAT(lowered.error().text(), HasSubstr("33 blocks, the ROM holds 32"));
}

// Values loaded before a barrier and stored behind it, in the opposite order.
PtxLaunch alive(int count) {
  std::string body;
  for (int n = 0; n < count; ++n)
    body += fmt::format("ld.volatile.global.u32 %a{}, [%p0+{}];\n", n, 4 * n);
  body += "bar.sync 0;\n";
  for (int n = 0; n < count; ++n)
    body += fmt::format("st.volatile.global.u32 [%p0+{}], %a{};\n", 4 * n, count - 1 - n);
  PtxLaunch launch{.ptx = kernelText(1, 0, body), .arrays = {Words{}}, .block = {1, 1, 1}};
  for (int n = 0; n < count; ++n) launch.arrays[0].push_back(static_cast<std::uint32_t>(n) * 7);
  return launch;
}

TEST(SizeTest, RegistersAndWhatSpills) {
  Options no_spills;
  no_spills.spill = false;
  const auto fitting = lowerPtx(alive(15), no_spills);
  ASSERT_TRUE(fitting.has_value()) << fitting.error().text();
  EXPECT_EQ(fitting->report.registers, 15);

  const auto refused = lowerPtx(alive(18), no_spills);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().text(), HasSubstr("needs 18 registers, the machine has 15"));

  const PtxLaunch launch = alive(18);
  const auto spilled = lowerPtx(launch);
  ASSERT_TRUE(spilled.has_value()) << spilled.error().text();
  EXPECT_GE(spilled->report.spills, 3);
  Words expected = launch.arrays[0];
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(runPtx(launch)->front(), expected);
}

// Variables that a loop reads and writes, more than there are registers: the old value is read
// before the new one is stored.
TEST(SizeTest, LoopVariablesThatSpill) {
  constexpr int kCount = 16;
  std::string body;
  for (int n = 0; n < kCount; ++n)
    body += fmt::format("ld.volatile.global.u32 %a{}, [%p0+{}];\n", n, 4 * n);
  body += "mov.u32 %a30, 0;\nagain:\n";
  for (int n = 0; n < kCount; ++n)
    body += fmt::format("mad.lo.u32 %a{0}, %a{0}, 3, %a{1};\n", n, (n + 1) % kCount);
  body += "add.u32 %a30, %a30, 1;\nsetp.lt.u32 %q0, %a30, 3;\n@%q0 bra again;\n";
  for (int n = 0; n < kCount; ++n)
    body += fmt::format("st.volatile.global.u32 [%p0+{}], %a{};\n", 4 * n, n);
  PtxLaunch launch{.ptx = kernelText(1, 0, body), .arrays = {Words{}}, .block = {1, 1, 1}};
  for (std::uint32_t n = 0; n < kCount; ++n) launch.arrays[0].push_back(n * n + 1);
  Words expected = launch.arrays[0];
  for (int round = 0; round < 3; ++round)
    for (std::size_t n = 0; n < kCount; ++n)
      expected[n] = 3 * expected[n] + expected[(n + 1) % kCount];
  const auto lowered = lowerPtx(launch);
  ASSERT_TRUE(lowered.has_value()) << lowered.error().text();
  EXPECT_GE(lowered->report.spills, 2);
  EXPECT_EQ(runPtx(launch)->front(), expected);
}

// Constants of more than 16 bits are parameter words.
PtxLaunch wideConstants(int count) {
  std::string body = "ld.global.u32 %a0, [%p0];\n";
  for (int n = 0; n < count; ++n)
    body += fmt::format("xor.b32 %a0, %a0, {};\nadd.u32 %a0, %a0, %a0;\n", 0x10000 + n * 0x10101);
  return {.ptx = kernelText(1, 0, body + "st.global.u32 [%p0], %a0;\n"), .arrays = {Words{5}}};
}

TEST(SizeTest, ParameterWords) {
  std::uint32_t expected = 5;
  for (std::uint32_t n = 0; n < 32; ++n) expected = 2 * (expected ^ (0x10000 + n * 0x10101));
  const auto arrays = runPtx(wideConstants(32));
  ASSERT_TRUE(arrays.has_value()) << arrays.error().text();
  EXPECT_EQ(arrays->front(), Words{expected});

  const auto lowered = lowerPtx(wideConstants(33));
  ASSERT_FALSE(lowered.has_value());
  EXPECT_THAT(lowered.error().text(), HasSubstr("needs 33 parameter words, the machine has 32"));
}

}  // namespace
}  // namespace qgpu::lower
