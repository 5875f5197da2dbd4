#include "interpreter/machine/fast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interpreter/isa/assembly.h"
#include "interpreter/isa/rules.h"

namespace qgpu::machine {
namespace {

using protocol::Image;
using ::testing::HasSubstr;

isa::Program programOf(std::string_view text) {
  const auto program = isa::assemble(text, "t");
  check(program.has_value(), program ? "" : program.error().text());
  return *program;
}

// A loop of three rounds for six threads: block 0 once, block 1 three times, block 2 once, for two
// warps.
constexpr std::string_view kLoop =
    "block 0:\n  mov r1!, c0\n  jump 1\n"
    "block 1:\n  add r2!, r2, tid\n  sub.ne r1!, r1, 1\n  branch s2, 1, 2\n"
    "block 2:\n  st [global 4 + tid*4], r2\n  exit\n";

TEST(Fast, CountsBlocksAndInstructions) {
  const auto run = runFast(programOf(kLoop), {.parameters = {3}, .threads = 6}, 100);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ(run->executions, 10);
  EXPECT_EQ(run->warp_instructions, 2 * (1 + 3 * 2 + 1));
  EXPECT_EQ(run->lane_instructions, (4 + 2) * (1 + 3 * 2 + 1));
  for (std::uint32_t tid = 0; tid < 6; ++tid) EXPECT_EQ(run->global[1 + tid], 3 * tid);
  EXPECT_EQ(run->global[7], 0u);
}

TEST(Fast, ReadsMemoryParametersAndShape) {
  const auto run =
      runFast(programOf("block 0:\n  mad _, ctaid, 100, c31\n  add _, s1, [shared 8 + r0]\n"
                        "  st [global 8 + gtid*4], s2\n  exit\n"),
              {.parameters = std::vector<std::uint32_t>(32, 7),
               .memory = {{130, 1000}},
               .thread_blocks = 2,
               .threads = 2},
              100);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ(run->global[2], 1007u);
  EXPECT_EQ(run->global[5], 1107u);
  EXPECT_EQ(run->shared[2], 1000u);
}

TEST(Fast, TheBudgetIsATrap) {
  EXPECT_TRUE(runFast(programOf(kLoop), {.parameters = {3}, .threads = 6}, 10));
  const auto run = runFast(programOf(kLoop), {.parameters = {3}, .threads = 6}, 9);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, FailureKind::Trap);
  EXPECT_THAT(run.error().message, HasSubstr("within 9 block executions"));
}

TEST(Fast, FaultsAreTraps) {
  const auto run =
      runFast(programOf("block 0:\n  st [shared 252 + tid*4], 252\n  exit\n"), {.threads = 2}, 9);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, FailureKind::Trap);
  EXPECT_THAT(run.error().message,
              HasSubstr("shared byte 256, thread 1 of thread block 0, block 0"));
  const auto trap = runFast(programOf("block 0:\n  trap\n"), {.threads = 2}, 9);
  ASSERT_FALSE(trap);
  EXPECT_THAT(trap.error().message, HasSubstr("executed trap: thread 0, 1 of thread block 0"));
}

TEST(Fast, RefusesWhatDoesNotFit) {
  const isa::Program good = programOf("block 0:\n  exit\n");
  EXPECT_TRUE(runFast(good, {}, 9));
  for (const Image& image :
       {Image{.threads = 0}, Image{.threads = 33}, Image{.thread_blocks = 0},
        Image{.thread_blocks = 257}, Image{.parameters = std::vector<std::uint32_t>(33)},
        Image{.memory = {{192, 1}}}, Image{.memory = {{-1, 1}}}}) {
    const auto run = runFast(good, image, 9);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().kind, FailureKind::Refusal);
  }
  isa::Program broken = good;
  broken.blocks[0].slots[0].rd = 1;
  EXPECT_EQ(runFast(broken, {}, 9).error().kind, FailureKind::Refusal);
  EXPECT_EQ(runFast({}, {}, 9).error().kind, FailureKind::Refusal);
}

}  // namespace
}  // namespace qgpu::machine
