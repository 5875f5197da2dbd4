// Which block runs next for whom: whole launches of small programs, their EXEC and CTA tokens by
// hand.
#include "interpreter/machine/schedule.h"

#include <gtest/gtest.h>

#include "interpreter/isa/assembly.h"
#include "interpreter/isa/rules.h"
#include "interpreter/machine/machine.h"
#include "interpreter/protocol/prompt.h"

namespace qgpu::machine {
namespace {

using protocol::Token;
using protocol::TokenKind;

// The EXEC, CTA, HALT and TRAP tokens of a launch, a line each.
std::string schedule(std::string_view text, int threads, int thread_blocks = 1) {
  const auto program = isa::assemble(text, "t");
  check(program.has_value(), program ? "" : program.error().text());
  check(isa::violations(*program).empty(), "the test's program keeps the rules");
  Machine machine;
  const protocol::Image image{
      .program = protocol::encode(*program), .thread_blocks = thread_blocks, .threads = threads};
  for (const Token& token : protocol::hostTokens(image))
    check(machine.step(token).has_value(), "the host's tokens are accepted");
  std::string out;
  for (int i = 0; i < 1000; ++i) {
    const auto token = machine.next();
    if (!token) return out;
    check(machine.step(*token).has_value(), "the next token is accepted");
    if (token->kind == TokenKind::Exec || token->kind == TokenKind::Cta ||
        token->kind == TokenKind::Halt || token->kind == TokenKind::Trap)
      out += token->text() + "\n";
  }
  return out + "...\n";
}

TEST(Schedule, StartMasks) {
  EXPECT_EQ(startMask(0, 1), 0b0001u);
  EXPECT_EQ(startMask(0, 3), 0b0111u);
  EXPECT_EQ(startMask(0, 4), 0b1111u);
  EXPECT_EQ(startMask(1, 4), 0u);
  EXPECT_EQ(startMask(1, 5), 0b0001u);
  EXPECT_EQ(startMask(7, 31), 0b0111u);
  EXPECT_EQ(startMask(7, 32), 0b1111u);
}

TEST(Schedule, WarpsStartInOrderTheLastOnePartly) {
  EXPECT_EQ(schedule("block 0:\nexit", 10), "EXEC 0 0 1111\nEXEC 0 1 1111\nEXEC 0 2 0011\nHALT\n");
}

TEST(Schedule, AWarpRunsUntilItEnds) {
  EXPECT_EQ(schedule("block 0:\njump 1\nblock 1:\nexit", 8),
            "EXEC 0 0 1111\nEXEC 1 0 1111\nEXEC 0 1 1111\nEXEC 1 1 1111\nHALT\n");
}

TEST(Schedule, ThreadBlocksOneAfterAnother) {
  EXPECT_EQ(schedule("block 0:\nexit", 5, 3),
            "EXEC 0 0 1111\nEXEC 0 1 0001\nCTA 1 5\nEXEC 0 0 1111\nEXEC 0 1 0001\n"
            "CTA 2 5\nEXEC 0 0 1111\nEXEC 0 1 0001\nHALT\n");
}

// The lowest block runs first, so lanes that skipped it wait at the join.
TEST(Schedule, LanesMeetAgainAtTheJoin) {
  EXPECT_EQ(schedule("block 0:\nsetp.lt p0, lane, 2\nbranch s1, 1, 2\n"
                     "block 1:\njump 2\nblock 2:\nexit",
                     4),
            "EXEC 0 0 1111\nEXEC 1 0 0011\nEXEC 2 0 1111\nHALT\n");
  EXPECT_EQ(schedule("block 0:\nsetp.lt p0, lane, 2\nbranch s1, 2, 1\n"
                     "block 1:\njump 3\nblock 2:\njump 3\nblock 3:\nexit",
                     4),
            "EXEC 0 0 1111\nEXEC 1 0 1100\nEXEC 2 0 0011\nEXEC 3 0 1111\nHALT\n");
}

TEST(Schedule, LoopsOfDifferentLength) {
  // Lane l goes round l + 1 times.
  EXPECT_EQ(schedule("block 0:\nmov r1!, lane\njump 1\n"
                     "block 1:\nsub.geu r1!, r1, 1\nbranch s1, 1, 2\nblock 2:\nexit",
                     4),
            "EXEC 0 0 1111\nEXEC 1 0 1111\nEXEC 1 0 1110\nEXEC 1 0 1100\nEXEC 1 0 1000\n"
            "EXEC 2 0 1111\nHALT\n");
}

// The warp that comes first to the barrier goes on when the visits come round to it.
TEST(Schedule, BarrierWaitsForAllWarps) {
  EXPECT_EQ(schedule("block 0:\nbar 1\nblock 1:\nbar 2\nblock 2:\nexit", 12),
            "EXEC 0 0 1111\nEXEC 0 1 1111\nEXEC 0 2 1111\n"
            "EXEC 1 0 1111\nEXEC 1 1 1111\nEXEC 1 2 1111\n"
            "EXEC 2 0 1111\nEXEC 2 1 1111\nEXEC 2 2 1111\nHALT\n");
}

TEST(Schedule, BarrierOfOneWarp) {
  EXPECT_EQ(schedule("block 0:\nbar 1\nblock 1:\nexit", 3), "EXEC 0 0 0111\nEXEC 1 0 0111\nHALT\n");
}

// Warp 1 ends before the barrier; the others do not wait for it.
TEST(Schedule, BarrierWithoutAWarpThatEnded) {
  EXPECT_EQ(schedule("block 0:\nsetp.eq p0, warp, 1\nexit.if s1, 1\n"
                     "block 1:\nbar 2\nblock 2:\nexit",
                     12),
            "EXEC 0 0 1111\nEXEC 1 0 1111\nEXEC 0 1 1111\nEXEC 0 2 1111\nEXEC 1 2 1111\n"
            "EXEC 2 0 1111\nEXEC 2 2 1111\nHALT\n");
}

// Lanes that wait do so while others of their warp still run; they go on together.
TEST(Schedule, BarrierInDivergentCode) {
  EXPECT_EQ(schedule("block 0:\nsetp.lt p0, lane, 2\nbranch s1, 1, 2\n"
                     "block 1:\nbar 3\nblock 2:\nbar 3\nblock 3:\nexit",
                     8),
            "EXEC 0 0 1111\nEXEC 1 0 0011\nEXEC 2 0 1100\n"
            "EXEC 0 1 1111\nEXEC 1 1 0011\nEXEC 2 1 1100\n"
            "EXEC 3 0 1111\nEXEC 3 1 1111\nHALT\n");
}

// Lanes of one warp at two barriers: the lower block is released first, the other when the visits
// come round again.
TEST(Schedule, TwoBarriersAtOnce) {
  EXPECT_EQ(schedule("block 0:\nsetp.lt p0, lane, 2\nbranch s1, 1, 2\n"
                     "block 1:\nbar 4\nblock 2:\nbar 3\nblock 3:\nexit\nblock 4:\nexit",
                     5),
            "EXEC 0 0 1111\nEXEC 1 0 0011\nEXEC 2 0 1100\nEXEC 0 1 0001\nEXEC 1 1 0001\n"
            "EXEC 3 0 1100\nEXEC 4 1 0001\nEXEC 4 0 0011\nHALT\n");
}

TEST(Schedule, EarlyExitOfSomeLanes) {
  EXPECT_EQ(schedule("block 0:\nsetp.ge p0, tid, 6\nexit.if s1, 1\nblock 1:\nexit", 12),
            "EXEC 0 0 1111\nEXEC 1 0 1111\nEXEC 0 1 1111\nEXEC 1 1 0011\nEXEC 0 2 1111\nHALT\n");
}

// Losers go round again before the winners go on: they are at the lower block.
TEST(Schedule, ReplayRunsTheLosersFirst) {
  EXPECT_EQ(schedule("block 0:\njump 1\nblock 1:\natom.exch _, [shared 0 + r0], r1\njump 2\n"
                     "block 2:\nexit",
                     4),
            "EXEC 0 0 1111\nEXEC 1 0 1111\nEXEC 1 0 1110\nEXEC 1 0 1100\nEXEC 1 0 1000\n"
            "EXEC 2 0 1111\nHALT\n");
}

TEST(Schedule, TrapEndsTheLaunch) {
  EXPECT_EQ(schedule("block 0:\nsetp.eq p0, tid, 5\nbranch s1, 2, 1\n"
                     "block 1:\nexit\nblock 2:\ntrap",
                     12, 2),
            "EXEC 0 0 1111\nEXEC 1 0 1111\nEXEC 0 1 1111\nEXEC 1 1 1101\nEXEC 2 1 0010\nTRAP\n");
}

}  // namespace
}  // namespace qgpu::machine
