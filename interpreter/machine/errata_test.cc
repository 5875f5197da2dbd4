// The corners of the design that a first reading gets wrong, each as a launch with its outcome by
// hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interpreter/isa/assembly.h"
#include "interpreter/isa/rules.h"
#include "interpreter/machine/machine.h"
#include "interpreter/protocol/prompt.h"

namespace qgpu::machine {
namespace {

using protocol::MemoryWord;
using protocol::Token;
using ::testing::ElementsAre;

struct Inputs {
  int threads = 4, thread_blocks = 1;
  std::vector<std::uint32_t> parameters{};
  std::vector<MemoryWord> memory{};
};

// Starts a launch of `text` on a machine that may have run others before.
void start(Machine& machine, std::string_view text, const Inputs& inputs) {
  const auto program = isa::assemble(text, "t");
  check(program.has_value(), program ? "" : program.error().text());
  const auto wrong = isa::violations(*program);
  check(wrong.empty(), wrong.empty() ? "" : wrong.front().text());
  const protocol::Image image{.program = protocol::encode(*program),
                              .parameters = inputs.parameters,
                              .memory = inputs.memory,
                              .thread_blocks = inputs.thread_blocks,
                              .threads = inputs.threads};
  for (const Token& token : protocol::hostTokens(image))
    check(machine.step(token).has_value(), "the host's tokens are accepted");
}

// All that the model writes, at most 500 tokens.
std::vector<std::string> finish(Machine& machine) {
  std::vector<std::string> out;
  while (const auto token = machine.next()) {
    if (out.size() == 500) return {"endless"};
    out.push_back(token->text());
    check(machine.step(*token).has_value(), "the next token is accepted");
  }
  return out;
}

std::vector<std::string> run(Machine& machine, std::string_view text, const Inputs& inputs = {}) {
  start(machine, text, inputs);
  return finish(machine);
}

// The winner of a replay is not the whole mask: its value is for its lane alone, or the losers
// would see it in their registers.
TEST(Errata, E4ReplayAndTheValueForAllLanes) {
  Machine machine;
  const auto tokens = run(machine,
                          "block 0:\n  mov r1!, tid\n  jump 1\n"
                          "block 1:\n  atom.exch r1!, [global 4 + r0], r1\n  exit\n",
                          {.memory = {{1, 99}}});
  EXPECT_THAT(tokens, ElementsAre("EXEC 0 0 1111", "VAL 1 0 0", "VAL 1 1 1", "VAL 1 2 2",
                                  "VAL 1 3 3", "EXEC 1 0 1111", "VAL 1 0 99", "MEM 1 0",  //
                                  "EXEC 1 0 1110", "VAL 1 1 0", "MEM 1 1",                //
                                  "EXEC 1 0 1100", "VAL 1 2 1", "MEM 1 2",                //
                                  "EXEC 1 0 1000", "VAL 1 U 2", "MEM 1 3", "HALT"));
  EXPECT_EQ(machine.state().warps[0].reg(1), (LaneWords{99, 0, 1, 2}));
}

// Whatever else the block does is committed once for each lane, too.
TEST(Errata, E4ACounterInAReplayBlock) {
  Machine machine;
  run(machine,
      "block 0:\n  mov r2!, 10\n  jump 1\n"
      "block 1:\n  add r2!, r2, 1\n  atom.or _, [global 4 + r0], 4\n  setp.eq p2!, r2, 10\n  "
      "exit\n");
  EXPECT_EQ(machine.state().warps[0].reg(2), (LaneWords{11, 11, 11, 11}));
  EXPECT_EQ(machine.state().warps[0].predicates[2], 0b1111);
}

// A guard that fails leaves the register alone; the addend is not its old value.
TEST(Errata, E8GuardedMultiplyAddKeepsTheRegister) {
  Machine machine;
  const auto tokens = run(machine,
                          "block 0:\n  mov r3!, 7\n  mov r2!, 100\n  jump 1\n"
                          "block 1:\n  setp.lt p0, lane, 2\n  @s1 mad r3!, lane, 1, r2\n  exit\n");
  EXPECT_THAT(tokens, ElementsAre("EXEC 0 0 1111", "VAL 3 U 7", "VAL 2 U 100",  //
                                  "EXEC 1 0 1111", "VAL 3 0 100", "VAL 3 1 101", "HALT"));
  EXPECT_EQ(machine.state().warps[0].reg(3), (LaneWords{100, 101, 7, 7}));
}

// p0 in a guard, as a branch's condition and as the value a guard keeps is p0 before the block.
TEST(Errata, E9PredicatesAreThoseBeforeTheBlock) {
  Machine machine;
  const auto tokens =
      run(machine,
          "block 0:\n  setp.lt p0!, lane, 2\n  jump 1\n"
          "block 1:\n  setp.ge p0!, lane, 2\n  @p0 mov r1!, 5 else r1\n  branch p0, 2, 3\n"
          "block 2:\n  exit\nblock 3:\n  @!p0 setp.eq p0!, lane, 2\n  exit\n");
  EXPECT_THAT(tokens, ElementsAre("EXEC 0 0 1111", "PRED 0 0011",                          //
                                  "EXEC 1 0 1111", "VAL 1 0 5", "VAL 1 1 5", "VAL 1 2 0",  //
                                  "VAL 1 3 0", "PRED 0 1100",                              //
                                  "EXEC 2 0 0011", "EXEC 3 0 1100", "PRED 0 1100", "HALT"));
}

// Warp 1 was to start when the launch trapped; the next launch has no warp 1.
TEST(Errata, E10NoWarpIsLeftFreshByAnAbortedLaunch) {
  Machine machine;
  EXPECT_THAT(run(machine, "block 0:\n  trap\n", {.threads = 8}),
              ElementsAre("EXEC 0 0 1111", "TRAP"));
  EXPECT_THAT(run(machine, "block 0:\n  exit\n"), ElementsAre("EXEC 0 0 1111", "HALT"));
  // Nor does a dead thread block leave a warp waiting for a later one.
  run(machine, "block 0:\n  bar 1\nblock 1:\n  trap\n", {.threads = 12});
  EXPECT_THAT(run(machine, "block 0:\n  bar 1\nblock 1:\n  exit\n", {.threads = 2}),
              ElementsAre("EXEC 0 0 0011", "EXEC 1 0 0011", "HALT"));
}

TEST(Errata, E11LogicOfTwoPredicatesOfEarlierBlocks) {
  const auto result = [](std::string_view logic) {
    Machine machine;
    run(machine,
        "block 0:\n  and _, lane, 1\n  setp.ne p1!, s1, r0\n  setp.ge p2!, lane, 2\n  jump 1\n"
        "block 1:\n  " +
            std::string(logic) + "\n  exit\n");
    return machine.state().warps[0].predicates[3];
  };
  // p1 = 1010, p2 = 1100
  EXPECT_EQ(result("@p1 pand p3!, p2"), 0b1000);
  EXPECT_EQ(result("@p1 por p3!, p2"), 0b1110);
  EXPECT_EQ(result("@p1 pxor p3!, p2"), 0b0110);
  EXPECT_EQ(result("@!p1 pand p3!, p2"), 0b0100);
  EXPECT_EQ(result("@p1 pand p3!, !p2"), 0b0010);
  EXPECT_EQ(result("@!p1 por p3!, !p2"), 0b0111);
  EXPECT_EQ(result("pxor p3!, p1"), 0b0101);
}

// Lanes that do not run may point anywhere: the row is taken modulo the space, and lends its word.
TEST(Errata, E12AddressesWrap) {
  Machine machine;
  run(machine, "block 0:\n  shl r1!, lane, 8\n  exit\n",
      {.memory = {{1, 11}}});  // 0, 256, 512, 768
  start(machine, "block 0:\n  mov _, [global 4 + r1*4]\n  shfl.idx _, s1, 3, 3:0\n  exit\n",
        {.threads = 1});
  finish(machine);
  EXPECT_EQ(machine.lastBlock().stages[0].address, (LaneWords{4, 1028, 2052, 3076}));
  EXPECT_EQ(machine.lastBlock().stages[0].loaded, (LaneWords{11, 11, 11, 11}));
  EXPECT_EQ(machine.lastBlock().stages[1].r[0], 11u);
}

// Rows that are equal only modulo the space do not make two MEM tokens: the launch traps.
TEST(Errata, E12AndE13StoresBeyondTheSpaceTrap) {
  Machine machine;
  EXPECT_THAT(run(machine, "block 0:\n  shl _, lane, 9\n  st [global 4 + s1], tid\n  exit\n"),
              ElementsAre("EXEC 0 0 1111", "TRAP"));
  EXPECT_EQ(machine.state().global[1], 0u);
}

TEST(Errata, E13MisalignedAccessesTrap) {
  for (const char* access :
       {"mov _, [global 6 + r0]", "ldh _, [shared 3 + r0]", "mov _, [shared 256 + r0]",
        "ldb _, [global 3 + r0]", "mov _, [global 512 + r0]", "mov _, [global -4 + r0]"}) {
    Machine machine;
    EXPECT_THAT(run(machine, "block 0:\n  " + std::string(access) + "\n  exit\n"),
                ElementsAre("EXEC 0 0 1111", "TRAP"))
        << access;
  }
}

// min-PC runs the losers of a lock first, so the winner never gets to release it.
TEST(Errata, E14SpinLocksNeverEnd) {
  Machine machine;
  EXPECT_THAT(run(machine,
                  "block 0:\n  jump 1\n"
                  "block 1:\n  atom.cas _, r0, [global 4 + r0], tid\n  setp.ne p0, s1, r0\n  "
                  "branch s2, 1, 2\n"
                  "block 2:\n  st [global 4 + r0], r0\n  exit\n"),
              ElementsAre("endless"));
}

TEST(Errata, E14LockFreeLoopsEnd) {
  Machine machine;
  const auto tokens = run(machine,
                          "block 0:\n  jump 1\n"
                          "block 1:\n  mov r1!, [global 4 + r0]\n  jump 2\n"
                          "block 2:\n  add _, r1, tid\n  atom.cas _, r1, [global 4 + r0], s1\n"
                          "  setp.ne p0, s2, r1\n  branch s3, 1, 3\n"
                          "block 3:\n  exit\n",
                          {.memory = {{1, 1000}}});
  EXPECT_EQ(tokens.back(), "HALT");
  EXPECT_EQ(machine.state().global[1], 1006u);
}

// A barrier may go anywhere, back to a loop's head too, which saves a block for each round.
TEST(Errata, E16BarriersHaveTargets) {
  Machine machine;
  EXPECT_THAT(run(machine,
                  "block 0:\n  jump 2\n"
                  "block 1:\n  exit\n"
                  "block 2:\n  setp.ne p0, r1, r0\n  branch s1, 1, 3\n"
                  "block 3:\n  mov r1!, 1\n  bar 2\n"),
              ElementsAre("EXEC 0 0 1111", "EXEC 2 0 1111", "EXEC 3 0 1111", "VAL 1 U 1",
                          "EXEC 2 0 1111", "EXEC 1 0 1111", "HALT"));
}

// ---- What must be written once, for everyone. ----

TEST(Errata, RegistersAndSharedMemoryAreNeverCleared) {
  Machine machine;
  run(machine, "block 0:\n  add r1!, r1, tid\n  st [shared 0 + tid*4], r1\n  exit\n",
      {.thread_blocks = 3});
  EXPECT_EQ(machine.state().warps[0].reg(1), (LaneWords{0, 3, 6, 9}));
  EXPECT_EQ(machine.state().shared[3], 6u);  // stored before the last addition was
}

TEST(Errata, OfEqualAddressesTheLastStoreIsTheOnlyOne) {
  Machine machine;
  EXPECT_THAT(run(machine, "block 0:\n  shr _, lane, 1\n  st [shared 8 + s1*4], tid\n  exit\n"),
              ElementsAre("EXEC 0 0 1111", "MEM 130 1", "MEM 131 3", "HALT"));
}

// atom.add: one MEM, each lane its own old value.
TEST(Errata, ConflictingAdditionsTakeTurns) {
  Machine machine;
  EXPECT_THAT(
      run(machine,
          "block 0:\n  setp.ne p0, lane, 1\n  @s1 atom.add r1!, [global 4 + r0], 4\n  exit\n",
          {.memory = {{1, 10}}}),
      ElementsAre("EXEC 0 0 1111", "VAL 1 0 10", "VAL 1 2 14", "VAL 1 3 18", "MEM 1 22", "HALT"));
}

TEST(Errata, PredicatesAreSentEvenUnchanged) {
  Machine machine;
  EXPECT_THAT(
      run(machine,
          "block 0:\n  @p0 setp.eq p1!, r0, r0\n  st [global 4 + r0], r0\n  mov r9!, -1\n  exit\n"),
      ElementsAre("EXEC 0 0 1111", "VAL 9 U -1", "PRED 1 0000", "MEM 1 0", "HALT"));
}

TEST(Errata, DivisionByZeroIsAllOnes) {
  Machine machine;
  EXPECT_THAT(run(machine, "block 0:\n  div tid, r0\n  nop\n  quo r1!\n  rem r2!\n  exit\n"),
              ElementsAre("EXEC 0 0 1111", "VAL 1 U -1", "VAL 2 U -1", "HALT"));
}

// The dot product of the README in its one-block form: at most six tokens.
TEST(Errata, DotProductTakesThreeTokens) {
  Machine machine;
  EXPECT_THAT(run(machine,
                  "block 0:\n  setp.lt p0, tid, c0\n  @s1 mov _, [global 4 + tid*4]\n"
                  "  @s1 mad _, s2, [global 16 + tid*4], r0\n  @s1 atom.add _, [global 28 + r0], "
                  "s3\n  exit\n",
                  {.parameters = {3}, .memory = {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}}}),
              ElementsAre("EXEC 0 0 1111", "MEM 7 32", "HALT"));
}

}  // namespace
}  // namespace qgpu::machine
