// Lanes that wait for others of their warp: locks and flags, and fences, which say what a lane that
// has waited finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/lower/passes/passes.h"
#include "compiler/lower/testing/expect.h"
#include "compiler/lower/testing/run_kernel.h"

namespace qgpu::lower {
namespace {

using ::testing::ElementsAre;
using testing::expectFor;
using testing::kernelText;
using testing::optionSets;
using testing::PtxLaunch;
using testing::runPtx;
using testing::Words;

// Two warps. Thread t finds its number in %a0 and an address of word t of the results in %w1, the
// lock or flag is %p1, and what it guards %p2.
constexpr std::uint32_t kThreads = 8;
PtxLaunch launch(const std::string& body) {
  return {.ptx = kernelText(3, 0,
                            "mov.u32 %a0, %tid.x;\nmul.wide.u32 %w0, %a0, 4;\n"
                            "add.s64 %w1, %p0, %w0;\n" +
                                body),
          .arrays = {Words(kThreads, 0), {0}, {0, 0}},
          .block = {kThreads, 1, 1}};
}

PtxLaunch oneWarp(const std::string& body) {
  PtxLaunch one = launch(body);
  one.arrays[0] = Words(4, 0);
  one.block = {4, 1, 1};
  return one;
}

// Each thread finds the count that the one before it left, and both words of a kind.
void expectOneByOne(const PtxLaunch& launch) {
  for (const auto& [name, options] : optionSets()) {
    const auto arrays = runPtx(launch, options);
    ASSERT_TRUE(arrays.has_value()) << name << ": " << arrays.error().text();
    EXPECT_THAT(arrays->at(0), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7)) << name;
    EXPECT_THAT(arrays->at(1), ElementsAre(0)) << name;
    EXPECT_THAT(arrays->at(2), ElementsAre(8, 16)) << name;
  }
}

constexpr std::string_view kGuarded = R"(
      ld.global.u32 %a2, [%p2];
      ld.global.u32 %a3, [%p2+4];
      sub.u32 %a4, %a3, %a2;
      st.global.u32 [%w1], %a4;
      add.u32 %a2, %a2, 1;
      st.global.u32 [%p2], %a2;
      add.u32 %a3, %a3, 2;
      st.global.u32 [%p2+4], %a3;)";

TEST(Await, ASpinLock) {
  expectOneByOne(
      launch("spin:\natom.global.cas.b32 %a1, [%p1], 0, 1;\nsetp.ne.u32 %q0, %a1, 0;\n"
             "@%q0 bra spin;" +
             std::string(kGuarded) + "\nmembar.gl;\natom.global.exch.b32 %a5, [%p1], 0;"));
}

// As long as the way out is a branch of the loop's; and without a fence.
TEST(Await, ALockInALoopWithAFlag) {
  expectOneByOne(
      launch("again:\natom.global.exch.b32 %a1, [%p1], 1;\nsetp.ne.u32 %q0, %a1, 0;\n"
             "@%q0 bra again;\nbra locked;\nlocked:" +
             std::string(kGuarded) + "\natom.global.exch.b32 %a5, [%p1], 0;\nret;"));
}

TEST(Await, AStoreThatReleases) {
  expectOneByOne(
      launch("spin:\natom.acquire.gpu.global.cas.b32 %a1, [%p1], 0, 1;\n"
             "setp.ne.u32 %q0, %a1, 0;\n@%q0 bra spin;" +
             std::string(kGuarded) + "\nst.release.gpu.global.u32 [%p1], 0;"));
}

// The one that is waited for goes another way.
TEST(Await, AFlag) {
  const PtxLaunch one_warp = oneWarp(R"(
      setp.eq.u32 %q0, %a0, 2;
      @%q0 bra tell;
    wait:
      ld.volatile.global.u32 %a1, [%p1];
      setp.eq.u32 %q1, %a1, 0;
      @%q1 bra wait;
      bra go;
    tell:
      st.global.u32 [%p2], 40;
      fence.acq_rel.gpu;
      st.volatile.global.u32 [%p1], 1;
    go:
      fence.acq_rel.gpu;
      ld.global.u32 %a2, [%p2];
      add.u32 %a2, %a2, %a0;
      st.global.u32 [%w1], %a2;)");
  expectFor(one_warp, [](std::uint32_t t) { return 40 + t; });
}

// One sets the first flag, another the second; who waits looks at both, by branches of their own.
TEST(Await, TwoFlags) {
  const PtxLaunch one_warp = oneWarp(R"(
      setp.eq.u32 %q0, %a0, 1;
      @%q0 bra first;
      setp.eq.u32 %q0, %a0, 3;
      @%q0 bra second;
    wait:
      ld.volatile.global.u32 %a1, [%p1];
      setp.eq.u32 %q1, %a1, 0;
      @%q1 bra wait;
      ld.volatile.global.u32 %a2, [%p2];
      setp.eq.u32 %q1, %a2, 0;
      @%q1 bra wait;
      bra go;
    first:
      st.volatile.global.u32 [%p1], 5;
      bra go;
    second:
      st.volatile.global.u32 [%p2], 6;
    go:
      st.global.u32 [%w1], %a0;)");
  expectFor(one_warp, [](std::uint32_t t) { return t; });
}

// It looks at a word of what the lock guards, too, and only to count.
TEST(Await, ALockWhoseLoopAlsoReadsSomethingElse) {
  expectOneByOne(launch(R"(
      mov.u32 %a6, 0;
    spin:
      ld.volatile.global.u32 %a7, [%p2];
      setp.lt.u32 %q1, %a7, 3;
      @%q1 bra few;
      add.u32 %a6, %a6, 1;
    few:
      atom.global.cas.b32 %a1, [%p1], 0, 1;
      setp.ne.u32 %q0, %a1, 0;
      @%q0 bra spin;)" + std::string(kGuarded) +
                        "\nmembar.gl;\natom.global.exch.b32 %a5, [%p1], 0;"));
}

// A lane that goes round writes something of its own, and leaves by a branch in the middle.
TEST(Await, ALoopThatCountsInMemory) {
  const PtxLaunch one_warp = oneWarp(R"(
      setp.eq.u32 %q0, %a0, 2;
      @%q0 bra tell;
    wait:
      ld.volatile.global.u32 %a1, [%p1];
      setp.ne.u32 %q1, %a1, 0;
      @%q1 bra go;
      ld.global.u32 %a2, [%w1];
      add.u32 %a2, %a2, 1;
      st.global.u32 [%w1], %a2;
      bra wait;
    tell:
      st.volatile.global.u32 [%p1], 1;
    go:
      st.global.u32 [%w1], %a0;)");
  expectFor(one_warp, [](std::uint32_t t) { return t; });
}

// Votes in the loop, before it and on the way of the one that is waited for keep nobody waiting.
TEST(Await, AFlagAndExchangesElsewhere) {
  const PtxLaunch one_warp = oneWarp(R"(
      setp.eq.u32 %q0, %a0, 2;
      vote.sync.ballot.b32 %a3, %q0, -1;
      @%q0 bra tell;
    wait:
      activemask.b32 %a4;
      ld.volatile.global.u32 %a1, [%p1];
      setp.eq.u32 %q1, %a1, 0;
      @%q1 bra wait;
      bra go;
    tell:
      st.volatile.global.u32 [%p1], 7;
      bar.warp.sync 4;
    go:
      st.volatile.global.u32 [%p1], 8;
      st.global.u32 [%w1], %a3;)");
  expectFor(one_warp, [](std::uint32_t) { return 4; });
}

// Blocks of the program for one warp.
int blocksOf(const std::string& body) {
  const auto lowered = testing::lowerPtx(oneWarp(body));
  EXPECT_TRUE(lowered.has_value()) << lowered.error().text();
  return lowered ? lowered->report.blocks : 0;
}

// A loop of atomic operations that nobody waits in: threads take numbers until there are no more.
TEST(Await, WhatIsNoLockTakesNoBlock) {
  const std::string take =
      "take:\natom.global.add.u32 %a1, [%p1], 1;\nsetp.lt.u32 %q0, %a1, 20;\n@%q0 bra take;\n";
  const std::string result = "st.global.u32 [%w1], %a1;";
  EXPECT_EQ(blocksOf("st.global.u32 [%p2], 0;\n" + take + result),
            blocksOf("st.global.u32 [%p1], 0;\n" + take + result));
  // Behind a barrier all have left the loop.
  EXPECT_EQ(blocksOf(take + "bar.sync 0;\nst.global.u32 [%p2], 0;\n" + result),
            blocksOf(take + "bar.sync 0;\nst.global.u32 [%p1], 0;\n" + result));
  // What is not volatile is read anew, but no other lane's write is waited for.
  const std::string read =
      "mov.u32 %a2, 0;\nread:\nadd.u32 %a2, %a2, 1;\nst.global.u32 [%w1], %a2;\n"
      "ld.global.u32 %a1, [%p1];\nsetp.lt.u32 %q0, %a2, %a1;\n@%q0 bra read;\n";
  EXPECT_EQ(blocksOf(read + "st.global.u32 [%p2], %a1;"),
            blocksOf(read + "st.global.u32 [%p1], %a1;"));
  // Nor one that comes before the loop in each round of another.
  const std::string head = "mov.u32 %a5, 0;\nouter:\nadd.u32 %a5, %a5, 1;\n";
  const std::string tail = "setp.lt.u32 %q1, %a5, 3;\n@%q1 bra outer;\n";
  EXPECT_EQ(blocksOf(head + "st.global.u32 [%p2], 0;\n" + take + tail + result),
            blocksOf(head + "st.global.u32 [%p1], 0;\n" + take + tail + result));
}

// A loop like that of a lock, and a write to the same word behind it; but between them lanes meet.
TEST(Await, NotWhereABarrierOfTheWarpIsOnTheWay) {
  PtxLaunch one_warp = oneWarp(R"(
      mul.wide.u32 %w2, %a0, 4;
      mov.u32 %a1, 0;
      and.b32 %a5, %a0, 1;
    again:
      atom.global.add.u32 %a2, [%w1], 1;
      setp.lt.u32 %q0, %a2, %a5;
      @%q0 bra again;
      add.s64 %w3, %p2, %w2;
      st.global.u32 [%w3], %a0;
      bar.warp.sync -1;
      xor.b32 %a3, %a0, 1;
      mul.wide.u32 %w4, %a3, 4;
      add.s64 %w4, %p2, %w4;
      ld.global.u32 %a4, [%w4];
      st.global.u32 [%w1], %a4;)");
  one_warp.arrays[2] = Words(4, 9);
  expectFor(one_warp, [](std::uint32_t t) { return t ^ 1; });
}

// Behind it they may: who comes from the lock waits there.
TEST(Await, ABarrierOfTheWarpBehindALock) {
  const PtxLaunch one_warp = oneWarp(R"(
    spin:
      atom.global.cas.b32 %a1, [%p1], 0, 1;
      setp.ne.u32 %q0, %a1, 0;
      @%q0 bra spin;
      ld.global.u32 %a2, [%p2];
      add.u32 %a2, %a2, 5;
      st.global.u32 [%p2], %a2;
      membar.gl;
      atom.global.exch.b32 %a3, [%p1], 0;
      bar.warp.sync -1;
      ld.global.u32 %a4, [%p2];
      st.global.u32 [%w1], %a4;)");
  expectFor(one_warp, [](std::uint32_t) { return 20; });
}

// The same, with a loop between the vote and the write.
TEST(Await, NotWhereLanesExchangeSomethingFarBefore) {
  const PtxLaunch one_warp = oneWarp(R"(
      mov.u32 %a1, 0;
    again:
      atom.global.add.u32 %a2, [%p1], 1;
      setp.lt.u32 %q0, %a2, 6;
      @%q0 bra again;
      setp.ge.u32 %q1, %a2, 6;
      vote.sync.ballot.b32 %a3, %q1, -1;
    count:
      atom.global.add.u32 %a4, [%p2], 1;
      add.u32 %a1, %a1, 1;
      setp.lt.u32 %q0, %a1, 3;
      @%q0 bra count;
      atom.global.exch.b32 %a4, [%p1], 0;
      st.global.u32 [%w1], %a3;)");
  expectFor(one_warp, [](std::uint32_t) { return 15; });
}

// Lanes that vote before they let go of a lock would wait for ever on a GPU; this is no lock.
TEST(Await, NotWhereLanesExchangeSomethingOnTheWay) {
  const PtxLaunch one_warp = oneWarp(R"(
      mov.u32 %a1, 0;
    again:
      atom.global.add.u32 %a2, [%p1], 1;
      setp.lt.u32 %q0, %a2, 6;
      @%q0 bra again;
      setp.ge.u32 %q1, %a2, 6;
      vote.sync.ballot.b32 %a3, %q1, -1;
      atom.global.exch.b32 %a4, [%p1], 0;
      st.global.u32 [%w1], %a3;)");
  expectFor(one_warp, [](std::uint32_t) { return 15; });
}

}  // namespace
}  // namespace qgpu::lower
