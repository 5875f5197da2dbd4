// Lanes of a warp meet where they exchange something, whatever parted them before: votes and
// memory behind a barrier of the warp (bar.warp.sync).
#include <gtest/gtest.h>

#include "compiler/lower/testing/expect.h"
#include "compiler/lower/testing/run_kernel.h"

namespace qgpu::lower {
namespace {

using testing::expectFor;
using testing::kernelText;
using testing::lowerPtx;
using testing::PtxLaunch;
using testing::Words;

constexpr std::uint32_t kThreads = 4;

// One warp. Thread t finds its number in %a0, addresses of word t of the results and of the scratch
// words in %w1 and %w2, and leaves %a9 in its result.
PtxLaunch warp(const std::string& body) {
  return {.ptx = kernelText(2, 0,
                            "mov.u32 %a0, %tid.x;\nmul.wide.u32 %w0, %a0, 4;\n"
                            "add.s64 %w1, %p0, %w0;\nadd.s64 %w2, %p1, %w0;\n" +
                                body + "\nst.global.u32 [%w1], %a9;"),
          .arrays = {Words(kThreads, 0), Words(kThreads + 1, 50)}};
}

// A thread's own two words are apart, so that nothing but the barrier says which comes first.
TEST(Converge, ABarrierOfTheWarpOrdersMemory) {
  expectFor(warp(R"(
      st.global.u32 [%w2+4], %a0;
      bar.warp.sync -1;
      ld.global.u32 %a1, [%w2];
      bar.warp.sync -1;
      st.global.u32 [%w2+4], %a1;
      bar.warp.sync -1;
      ld.global.u32 %a2, [%w2];
      mad.lo.u32 %a9, %a2, 100, %a1;)"),
            [](std::uint32_t t) {
              const std::uint32_t first[] = {50, 0, 1, 2}, second[] = {50, 50, 0, 1};
              return second[t] * 100 + first[t];
            });
}

int blocksOf(const std::string& body) {
  const auto lowered = lowerPtx(warp(body));
  EXPECT_TRUE(lowered.has_value()) << lowered.error().text();
  return lowered ? lowered->report.blocks : 0;
}

// A barrier of the warp parts two blocks where one lane writes what another uses; else it costs
// nothing.
TEST(Converge, BarriersOfTheWarpThatPartBlocks) {
  const std::string barrier = "bar.warp.sync -1;", load = "ld.global.u32 %a9, [%w2];",
                    store = "st.global.u32 [%w2+4], %a0;", value = "mov.u32 %a9, 5;";
  EXPECT_EQ(blocksOf(value), 1);
  EXPECT_EQ(blocksOf(value + barrier), 1);
  EXPECT_EQ(blocksOf(load), 1);
  EXPECT_EQ(blocksOf(barrier + load), 1);
  EXPECT_EQ(blocksOf(load + barrier), 2);
  EXPECT_EQ(blocksOf(store + barrier + value), 2);
  EXPECT_EQ(blocksOf(store + barrier + "ret;"), blocksOf(store + "ret;"));
  EXPECT_EQ(blocksOf(value + "membar.gl;"), 1);
  const std::string count =
      "mov.u32 %a1, 0;\nagain:\nadd.u32 %a1, %a1, 1;\n"
      "setp.ge.u32 %q0, %a1, %a0;\n@%q0 bra done;\n";
  const std::string round = "bra again;\ndone:\nmov.u32 %a9, %a1;";
  EXPECT_EQ(blocksOf(count + barrier + round), blocksOf(count + round));
}

// Each way of a branch has the barrier, and the lanes of both read what the others wrote.
TEST(Converge, ABarrierOfTheWarpOnBothWays) {
  const std::string head =
      "and.b32 %a1, %a0, 1;\nsetp.eq.u32 %q0, %a1, 0;\n@%q0 bra even;\n"
      "st.global.u32 [%w2+4], 10;\n";
  const std::string other = "bra read;\neven:\nst.global.u32 [%w2+4], 20;\n";
  const std::string read = "read:\nld.global.u32 %a9, [%w2];";
  const std::string barrier = "bar.warp.sync -1;\n";
  expectFor(warp(head + barrier + other + barrier + read), [](std::uint32_t t) {
    return t == 0 ? 50 : t % 2 == 0 ? 10 : 20;
  });
  EXPECT_GT(blocksOf(head + barrier + other + barrier + read), blocksOf(head + other + read));
}

// All that lasts from round to round is in memory: nothing but the way back is in its block.
TEST(Converge, BehindTurnsOfALoopWithoutValues) {
  expectFor(warp(R"(
      setp.ge.u32 %q0, %a0, 0;
    again:
      vote.sync.ballot.b32 %a9, %q0, -1;
      atom.global.add.u32 %a2, [%w2], 1;
      setp.lt.u32 %q1, %a2, 52;
      atom.global.xor.b32 %a3, [%p1], 0;
      @%q1 bra again;)"),
            [](std::uint32_t) { return 15; });
}

TEST(Converge, BehindTwoWaysBackOfALoopWithoutValues) {
  expectFor(warp(R"(
      setp.ge.u32 %q0, %a0, 0;
      and.b32 %a4, %a0, 1;
      setp.ne.u32 %q2, %a4, 0;
    again:
      vote.sync.ballot.b32 %a9, %q0, -1;
      atom.global.add.u32 %a2, [%w2], 1;
      setp.ge.u32 %q1, %a2, 52;
      @%q1 bra done;
      @%q2 bra again;
      atom.global.max.u32 %a3, [%w2], 7;
      bra again;
    done:)"),
            [](std::uint32_t) { return 15; });
}

// What a loop's last operation does in turns must not let the first lane run ahead of the others.
TEST(Converge, BehindTurnsAtTheEndOfALoop) {
  expectFor(warp(R"(
      mov.u32 %a1, 0;
      setp.eq.u32 %q0, %a1, 0;
    again:
      vote.sync.ballot.b32 %a9, %q0, -1;
      atom.global.xor.b32 %a2, [%p1], 1;
      add.u32 %a1, %a1, 1;
      setp.lt.u32 %q1, %a1, 3;
      @%q1 bra again;)"),
            [](std::uint32_t) { return 15; });
  // Here each lane reads what the one before it wrote in the same round.
  expectFor(warp(R"(
      mov.u32 %a1, 0;
      mov.u32 %a9, 0;
    again:
      mad.lo.u32 %a3, %a1, 10, %a0;
      st.global.u32 [%w2+4], %a3;
      bar.warp.sync -1;
      ld.global.u32 %a4, [%w2];
      add.u32 %a9, %a9, %a4;
      bar.warp.sync -1;
      add.u32 %a1, %a1, 1;
      setp.lt.u32 %q1, %a1, 3;
      atom.global.xor.b32 %a2, [%p1], 0;
      @%q1 bra again;)"),
            [](std::uint32_t t) { return t == 0 ? 150 : 30 + 3 * (t - 1); });
}

// Some lanes go back from the middle of a loop, as `continue` does.
TEST(Converge, WhereSeveralWaysLeadBack) {
  expectFor(warp(R"(
      mov.u32 %a1, 0;
      mov.u32 %a9, 0;
      setp.eq.u32 %q0, %a1, 0;
      and.b32 %a4, %a0, 1;
      setp.ne.u32 %q1, %a4, 0;
    again:
      vote.sync.ballot.b32 %a3, %q0, -1;
      add.u32 %a9, %a9, %a3;
      add.u32 %a1, %a1, 1;
      setp.ge.u32 %q2, %a1, 3;
      @%q2 bra done;
      @%q1 bra again;
      atom.global.xor.b32 %a5, [%w2], 4;
      add.u32 %a9, %a9, 100;
      bra again;
    done:)"),
            [](std::uint32_t t) { return t % 2 == 0 ? 245 : 45; });
}

// Lanes that the guard excludes do not wait.
TEST(Converge, AGuardedBarrierOfTheWarp) {
  expectFor(warp(R"(
      setp.lt.u32 %q0, %a0, 3;
      st.global.u32 [%w2+4], %a0;
      @%q0 bar.warp.sync 7;
      ld.global.u32 %a9, [%w2];)"),
            [](std::uint32_t t) { return t == 0 ? 50 : t - 1; });
}

}  // namespace
}  // namespace qgpu::lower
