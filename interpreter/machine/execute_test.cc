// One block at a time: operands, guards, the memory stage, faults, division.
#include "interpreter/machine/execute.h"

#include <gtest/gtest.h>

#include <optional>

#include "interpreter/isa/assembly.h"
#include "interpreter/isa/rules.h"
#include "interpreter/machine/schedule.h"
#include "interpreter/testing/random.h"

namespace qgpu::machine {
namespace {

using isatest::Random;

constexpr LaneMask kAll = 15;

// A block of a running thread block with ntid 16, two of them, for warp 1; state to be filled in.
class Bench {
 public:
  explicit Bench(std::string_view slots) {
    const auto program =
        isa::assemble("block 0:\njump 1\nblock 1:\n" + std::string(slots) + "\nexit", "t");
    check(program.has_value(), program ? "" : program.error().text());
    check(isa::violations(*program).empty(), "the test's block keeps the rules");
    block_.emplace(program->blocks[1]);
    state.nctaid = 2;
    startThreadBlock(state, 1, 16);
    for (int i = 0; i < kMachine.parameters; ++i) setParameter(state, i, 100 + i);
  }

  const BlockResult& run(LaneMask mask = kAll) { return run(*block_, mask); }
  const BlockResult& run(const DecodedBlock& block, LaneMask mask = kAll) {
    return pipeline_.run(block, 1, warp(), {state.global, state.shared}, mask);
  }
  Warp& warp() { return state.warps[1]; }
  LaneMask committing(int slot, LaneMask mask = kAll) const {
    return machine::committing(block_->slots[slot], pipeline_.result().stages[slot], mask,
                               pipeline_.result().losers);
  }

  State state;

 private:
  std::optional<DecodedBlock> block_;
  Pipeline pipeline_;
};

TEST(Operands, OfEveryKind) {
  const auto value = [](std::string_view operand) {
    Bench bench("mov _, 9\nsetp.eq p0, r0, r0\nmov _, " + std::string(operand));
    bench.warp().file[3] = {30, 31, 32, 33};
    return bench.run(0b0110).stages[2].r;
  };
  EXPECT_EQ(value("r0"), (LaneWords{}));
  EXPECT_EQ(value("r3"), (LaneWords{30, 31, 32, 33}));
  EXPECT_EQ(value("s1"), (LaneWords{9, 9, 9, 9}));
  EXPECT_EQ(value("-2"), (LaneWords{~1u, ~1u, ~1u, ~1u}));
  EXPECT_EQ(value("c31"), (LaneWords{131, 131, 131, 131}));
  EXPECT_EQ(value("tid"), (LaneWords{4, 5, 6, 7}));
  EXPECT_EQ(value("ctaid"), (LaneWords{1, 1, 1, 1}));
  EXPECT_EQ(value("ntid"), (LaneWords{16, 16, 16, 16}));
  EXPECT_EQ(value("nctaid"), (LaneWords{2, 2, 2, 2}));
  EXPECT_EQ(value("gtid"), (LaneWords{20, 21, 22, 23}));
  EXPECT_EQ(value("lane"), (LaneWords{0, 1, 2, 3}));
  EXPECT_EQ(value("warp"), (LaneWords{1, 1, 1, 1}));
  EXPECT_EQ(value("mask"), (LaneWords{6, 6, 6, 6}));
}

TEST(Operands, NothingOfARunIsLeftInTheNext) {
  Bench bench("@!p0 atom.exch _, [global 4 + r1], 4\nmov _, 3\nmov _, 3\nsetp.eq p0, r0, r0");
  bench.warp().file[1] = {8, 8, 8, 600};
  const BlockResult& reused = bench.run();
  ASSERT_NE(reused.faults, 0u);
  ASSERT_NE(reused.losers, 0u);
  bench.run(DecodedBlock(isa::Block{}));
  EXPECT_EQ(reused.writer, -1);
  EXPECT_EQ(reused.writes, 0u);
  EXPECT_EQ(reused.losers, 0u);
  EXPECT_EQ(reused.faults, 0u);
  EXPECT_EQ(reused.fault_slot, -1);
  EXPECT_EQ(reused.words, LaneWords{});
  for (const StageResult& stage : reused.stages) {
    EXPECT_EQ(stage.r, LaneWords{});
    EXPECT_EQ(stage.p, 0u);
    EXPECT_EQ(stage.guard, kAll);
    EXPECT_EQ(stage.address, LaneWords{});
    EXPECT_EQ(stage.loaded, LaneWords{});
  }
}

TEST(Guards, MergeKeepsTheOldValueAndCommits) {
  Bench bench("@p1 add _, r1, r2 else r3\n@!p1 sub.ltu _|p2, r1, r2 else s1");
  bench.warp().file[1] = {1, 2, 3, 4};
  bench.warp().file[2] = {10, 10, 10, 10};
  bench.warp().file[3] = {70, 71, 72, 73};
  bench.warp().predicates = {0, 0b0011, 0b1010, 0};
  const BlockResult& result = bench.run();
  EXPECT_EQ(result.stages[0].r, (LaneWords{11, 12, 72, 73}));
  EXPECT_EQ(result.stages[1].r, (LaneWords{11, 12, 0u - 7, 0u - 6}));
  EXPECT_EQ(result.stages[1].p, 0b1110u);  // lanes 2, 3 compared, lanes 0, 1 of p2
  EXPECT_EQ(bench.committing(0), kAll);
  EXPECT_EQ(bench.committing(1, 0b0101), 0b0101u);
}

TEST(Guards, CommitGivesZeroAndCommitsNothing) {
  Bench bench("@p0 mad _, r1, r1, r2\n@!p0 prmt _, r1, r2, r0");
  bench.warp().file[1] = {2, 3, 4, 5};
  bench.warp().file[2] = {1, 1, 1, 1};
  bench.warp().predicates[0] = 0b0110;
  const BlockResult& result = bench.run();
  EXPECT_EQ(result.stages[0].r, (LaneWords{0, 10, 17, 0}));
  EXPECT_EQ(bench.committing(0), 0b0110u);
  EXPECT_EQ(result.stages[1].r, (LaneWords{0x02020202, 0, 0, 0x05050505}));
  EXPECT_EQ(bench.committing(1, 0b0011), 0b0001u);
}

TEST(Guards, InputsAreNoGuards) {
  Bench bench("@p0 addc _, r1, r1\n@!p0 subc.lt _, r1, r1\n@p0 pxor p0, !s2\n@!p0 ballot _");
  bench.warp().file[1] = {5, 5, 5, 5};
  bench.warp().predicates[0] = 0b0011;
  const BlockResult& result = bench.run(0b0110);
  EXPECT_EQ(result.stages[0].r, (LaneWords{11, 11, 10, 10}));
  EXPECT_EQ(result.stages[1].r, (LaneWords{~0u, ~0u, 0, 0}));
  EXPECT_EQ(result.stages[1].p, 0b0011u);  // 5 < 5 + borrow
  EXPECT_EQ(result.stages[2].p, 0b1111u);  // p0 ^ !s2: 1^0, 0^1
  EXPECT_EQ(result.stages[3].r, (LaneWords{4, 4, 4, 4}));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bench.committing(i, 0b0110), 0b0110u);
}

// p0-p3 and registers are as they were before the block, live results or not.
TEST(Guards, PredicatesAreThoseBeforeTheBlock) {
  Bench bench("setp.eq p0!, r0, r0\n@p0 mov r1!, 1 else r1\n@s1 mov _, r1 else 9");
  bench.warp().predicates[0] = 0b0001;
  bench.warp().file[1] = {50, 51, 52, 53};
  const BlockResult& result = bench.run();
  EXPECT_EQ(result.stages[1].r, (LaneWords{1, 51, 52, 53}));
  EXPECT_EQ(result.stages[2].r, (LaneWords{50, 51, 52, 53}));
}

// ---- The memory stage. ----

// Every pattern of equal addresses, every mask and every guard, for the three ways of writing,
// against the definitions in docs/machine.md said plainly.
class MemoryWrites : public ::testing::Test {
 public:
  using Define = void (MemoryWrites::*)(const std::array<int, 4>&, LaneMask);

  void everyPattern(const std::string& op, Define define) {
    Bench bench("@p0 " + op + " [shared 0 + r1*4], r2");
    bench.warp().file[2] = {1000, 1001, 1002, 1003};
    for (int row = 0; row < 4; ++row) bench.state.shared[row] = 10 + row;
    for (int pattern = 0; pattern < 256; ++pattern)
      for (LaneMask mask = 1; mask < 16; ++mask)
        for (LaneMask guard = 0; guard < 16; ++guard) {
          const std::array<int, 4> rows = {pattern & 3, pattern >> 2 & 3, pattern >> 4 & 3,
                                           pattern >> 6};
          expected_ = {};
          (this->*define)(rows, mask & guard);
          ASSERT_NO_FATAL_FAILURE(expectStage(bench, rows, mask, guard)) << pattern << " " << mask;
        }
  }

  void expectStage(Bench& bench, const std::array<int, 4>& rows, LaneMask mask, LaneMask guard) {
    for (int l = 0; l < 4; ++l) bench.warp().file[1][l] = rows[l];
    bench.warp().predicates[0] = static_cast<std::uint8_t>(guard);
    const BlockResult& result = bench.run(mask);
    ASSERT_EQ(result.writer, 0);
    ASSERT_EQ(result.writes, expected_.writes);
    ASSERT_EQ(result.losers, expected_.losers);
    ASSERT_EQ(result.faults, 0u);
    ASSERT_EQ(result.stages[0].r, expected_.r);
    for (int l = 0; l < 4; ++l)
      ASSERT_TRUE((expected_.writes >> l & 1) == 0 || result.words[l] == expected_.words[l]);
    ASSERT_EQ(bench.committing(0, mask), mask & guard & ~expected_.losers);
  }

  void defineStore(const std::array<int, 4>& rows, LaneMask part) {
    for (int l = 0; l < 4; ++l) {
      if ((part >> l & 1) == 0) continue;
      bool last = true;
      for (int m = l + 1; m < 4; ++m) last &= (part >> m & 1) == 0 || rows[m] != rows[l];
      expected_.writes |= LaneMask{last} << l;
      expected_.words[l] = 1000 + l;
    }
  }
  void defineCombine(const std::array<int, 4>& rows, LaneMask part) {
    defineStore(rows, part);
    std::array<std::uint32_t, 4> memory = {10, 11, 12, 13};
    for (int l = 0; l < 4; ++l) {
      if ((part >> l & 1) == 0) continue;
      expected_.r[l] = memory[rows[l]];
      expected_.words[l] = memory[rows[l]] += 1000 + l;
    }
  }
  void defineReplay(const std::array<int, 4>& rows, LaneMask part) {
    LaneMask rows_seen = 0;
    for (int l = 0; l < 4; ++l) {
      if ((part >> l & 1) == 0) continue;
      const bool first = (rows_seen >> rows[l] & 1) == 0;
      rows_seen |= 1u << rows[l];
      expected_.r[l] = 10 + rows[l];
      expected_.words[l] = 1000 + l;
      (first ? expected_.writes : expected_.losers) |= 1u << l;
    }
  }

  struct {
    LaneMask writes = 0, losers = 0;
    LaneWords r{}, words{};
  } expected_;
};

TEST_F(MemoryWrites, Store) { everyPattern("st", &MemoryWrites::defineStore); }
TEST_F(MemoryWrites, Combine) { everyPattern("atom.add _,", &MemoryWrites::defineCombine); }
TEST_F(MemoryWrites, Replay) { everyPattern("atom.exch _,", &MemoryWrites::defineReplay); }

// Lanes collide over the word, whatever byte of it they mean: the second byte waits for the first.
TEST(SubWord, BytesOfOneWordReplay) {
  Bench bench("stb [shared 0 + tid], r1");
  bench.state.shared[1] = 0x44332211;
  bench.warp().file[1] = {0x1aa, 0x2bb, 0x3cc, 0x4dd};
  const BlockResult& result = bench.run();
  EXPECT_EQ(result.losers, 0b1110u);
  EXPECT_EQ(result.writes, 0b0001u);
  EXPECT_EQ(result.words[0], 0x443322aau);
  EXPECT_EQ(result.stages[0].r, LaneWords{});
}

TEST(SubWord, LoadsTakeTheirBytes) {
  Bench bench(
      "ldb _, [global 4 + lane]\nldbs _, [global 4 + lane]\n"
      "ldh _, [global 4 + lane*2]\nldhs _, [global 4 + lane*2]");
  bench.state.global[1] = 0x80ff017f;
  bench.state.global[2] = 0x8000fffe;
  const BlockResult& result = bench.run();
  EXPECT_EQ(result.stages[0].r, (LaneWords{0x7f, 0x01, 0xff, 0x80}));
  EXPECT_EQ(result.stages[1].r, (LaneWords{0x7f, 0x01, 0xffffffff, 0xffffff80}));
  EXPECT_EQ(result.stages[2].r, (LaneWords{0x017f, 0x80ff, 0xfffe, 0x8000}));
  EXPECT_EQ(result.stages[3].r, (LaneWords{0x017f, 0xffff80ff, 0xfffffffe, 0xffff8000}));
  EXPECT_EQ(result.stages[0].loaded, (LaneWords{0x80ff017f, 0x80ff017f, 0x80ff017f, 0x80ff017f}));
  EXPECT_EQ(result.stages[2].address, (LaneWords{4, 6, 8, 10}));
}

TEST(MemoryOperand, BaseFromParameterAndShift) {
  Bench bench("mov _, [global c4 + r1*4]\nmov _, [global c4 + r1]");
  for (int i = 0; i < 128; ++i) bench.state.global[i] = 1000 + i;
  bench.warp().file[1] = {0, 4, 8, 0u - 4};  // c4 = 104
  const BlockResult& result = bench.run();
  EXPECT_EQ(result.stages[0].address, (LaneWords{104, 120, 136, 88}));
  EXPECT_EQ(result.stages[0].r, (LaneWords{1026, 1030, 1034, 1022}));
  EXPECT_EQ(result.stages[1].r, (LaneWords{1026, 1027, 1028, 1025}));
}

// ---- Faults. ----

struct Access {
  const char* text;
  int width;
  std::uint32_t first, size;
};

// Around the ends of each space, around 0 and around 2^31: a lane faults where the access is
// misaligned, in the null word or not below the size; and only if it runs with a guard that holds.
TEST(Faults, AtEveryBoundary) {
  const std::array accesses = {Access{"ldb _, [global 0 + r1]", 1, 4, 512},
                               Access{"ldh _, [global 0 + r1]", 2, 4, 512},
                               Access{"mov _, [global 0 + r1]", 4, 4, 512},
                               Access{"st [global 0 + r1], r2", 4, 4, 512},
                               Access{"ldbs _, [shared 0 + r1]", 1, 0, 256},
                               Access{"ldhs _, [shared 0 + r1]", 2, 0, 256},
                               Access{"atom.add _, [shared 0 + r1], r2", 4, 0, 256},
                               Access{"sth [shared 0 + r1], r2", 2, 0, 256},
                               Access{"stb [global 0 + r1], r2", 1, 4, 512}};
  for (const Access& access : accesses) {
    Bench bench("@p0 " + std::string(access.text));
    for (const std::uint32_t centre : {0u, 4u, 256u, 512u, 0x80000000u, 0xfffffffcu})
      for (std::uint32_t offset = 0; offset < 24; ++offset) {
        const std::uint32_t address = centre + offset - 12;
        const bool bad = address < access.first || address >= access.size ||
                         address % static_cast<std::uint32_t>(access.width) != 0;
        for (int lane = 0; lane < 4; ++lane)
          for (LaneMask guard = 0; guard < 16; ++guard) {
            bench.warp().file[1] = {8, 12, 16, 20};
            bench.warp().file[1][lane] = address;
            bench.warp().predicates[0] = static_cast<std::uint8_t>(guard);
            for (const LaneMask mask : {15u, 1u << lane, 15u & ~(1u << lane)}) {
              const BlockResult& result = bench.run(mask);
              const LaneMask expected = bad ? (mask & guard & 1u << lane) : 0;
              ASSERT_EQ(result.faults, expected) << access.text << " " << address;
              ASSERT_EQ(result.fault_slot, expected != 0 ? 0 : -1);
              ASSERT_EQ(result.fault_lane, expected != 0 ? lane : -1);
            }
          }
      }
  }
}

// Lane 3 faults in slot 1, lane 0 in slot 2: the message is about the first of these.
TEST(Faults, AreDescribedByTheFirst) {
  Bench bench("mov _, [global 4 + r1]\nmov _, [shared 0 + r2]");
  bench.warp().file[1] = {0, 0, 0, 508};
  bench.warp().file[2] = {1, 0, 0, 0};
  const BlockResult& result = bench.run();
  EXPECT_EQ(result.faults, 0b1001u);
  EXPECT_EQ(result.fault_slot, 0);
  EXPECT_EQ(result.fault_lane, 3);
  const isa::Program program =
      *isa::assemble("block 0:\nmov _, [global 4 + r1]\nmov _, [shared 0 + r2]\nexit", "t");
  EXPECT_EQ(
      describeFault(DecodedBlock(program.blocks[0]), 0, 1, 1, result).text(),
      "trap: address out of range or misaligned: global byte 512, thread 7 of thread block 1, "
      "block 0, slot 1; global memory is bytes 4 to 511, shared memory bytes 0 to 255");
}

TEST(Faults, TrapIsOneForTheWholeMask) {
  Bench bench("mov _, 1\ntrap\nblock 2:");
  const BlockResult& result = bench.run(0b1010);
  EXPECT_EQ(result.faults, 0b1010u);
  EXPECT_EQ(result.fault_slot, -1);
}

// ---- Division. ----

TEST(DivisionBlock, ReadsEveryKindOfOperand) {
  const auto quotients = [](std::string_view division) {
    Bench bench(std::string(division) + "\nnop\nquo r1!\nrem r2!");
    bench.warp().file[3] = {100, 0u - 100, 7, 0};
    const BlockResult& result = bench.run(0b0011);
    EXPECT_EQ(result.stages[0].r, LaneWords{});
    EXPECT_EQ(result.stages[1].r, LaneWords{});
    return std::pair(result.stages[2].r, result.stages[3].r);
  };
  using Both = std::pair<LaneWords, LaneWords>;
  EXPECT_EQ(quotients("div r3, 7"), (Both{{14, 0u - 14, 1, 0}, {2, 0u - 2, 0, 0}}));
  EXPECT_EQ(quotients("div 50, r3"), (Both{{0, 0, 7, ~0u}, {50, 50, 1, ~0u}}));
  EXPECT_EQ(quotients("divu r3, c0"), (Both{{1, 42949671, 0, 0}, {0, 96, 7, 0}}));
  EXPECT_EQ(quotients("divu tid, lane"), (Both{{~0u, 5, 3, 2}, {~0u, 0, 0, 1}}));
  EXPECT_EQ(quotients("div mask, 3"), (Both{{1, 1, 1, 1}, {0, 0, 0, 0}}));
}

TEST(DivisionBlock, QuotientAloneOrRemainderAlone) {
  Bench quotient("div 7, 7\nnop\nquo r1!");
  EXPECT_EQ(quotient.run().stages[2].r, (LaneWords{1, 1, 1, 1}));
  EXPECT_EQ(quotient.run().stages[3].r, LaneWords{});
  Bench remainder("div 7, tid\nnop\nnop\nrem r1!");
  EXPECT_EQ(remainder.run().stages[2].r, LaneWords{});
  EXPECT_EQ(remainder.run().stages[3].r, (LaneWords{3, 2, 1, 0}));
}

TEST(DivisionBlock, NothingOfAnotherBlockIsLeft) {
  Bench bench("mov _, 3\nsetp.eq p0, r0, r0\nmov _, [global 4 + r0]\nmov _, 3");
  bench.run();
  isa::Block division;
  division.header.divide = true;
  division.slots[0] = {.op = isa::Opcode::Div, .a = isa::Operand::immediate(), .imm = 7};
  division.slots[2] = {.op = isa::Opcode::Quo, .rd = 1, .live = true};
  const BlockResult& result = bench.run(DecodedBlock(division));
  StageResult idle;
  idle.guard = kAll;
  for (const int unused : {0, 1, 3}) EXPECT_EQ(result.stages[unused], idle) << unused;
  EXPECT_EQ(result.stages[2].r, (LaneWords{~0u, ~0u, ~0u, ~0u}));
  EXPECT_EQ(result.stages[2].loaded, LaneWords{});
}

// ---- Where lanes go. ----

TEST(Targets, OfEveryTerminator) {
  const auto keys = [](std::string_view terminator) {
    const auto program = isa::assemble(
        "block 0:\njump 1\nblock 1:\nsetp.lt p0, lane, 2\n" + std::string(terminator), "t");
    check(program.has_value(), "the test's terminator assembles");
    Bench bench("nop");
    bench.warp().predicates[3] = 0b1001;
    return bench.run(DecodedBlock(program->blocks[1])).pc;
  };
  using Keys = std::array<std::uint8_t, 4>;
  EXPECT_EQ(keys("jump 5"), (Keys{5, 5, 5, 5}));
  EXPECT_EQ(keys("branch s1, 5, 9"), (Keys{5, 5, 9, 9}));
  EXPECT_EQ(keys("branch !s1, 5, 9"), (Keys{9, 9, 5, 5}));
  EXPECT_EQ(keys("branch p3, 5, 9"), (Keys{5, 9, 9, 5}));
  EXPECT_EQ(keys("exit.if !p3, 7"), (Keys{7, 255, 255, 7}));
  EXPECT_EQ(keys("bar 31"), (Keys{159, 159, 159, 159}));
  EXPECT_EQ(keys("exit"), (Keys{255, 255, 255, 255}));
  EXPECT_EQ(keys("trap"), (Keys{255, 255, 255, 255}));
}

TEST(Targets, LosersComeBack) {
  Bench bench("atom.exch _, [global 4 + r0], r1\nbar 2\nblock 2:");
  EXPECT_EQ(bench.run(0b1110).losers, 0b1100u);
  EXPECT_EQ(bench.run(0b1110).pc[1], 130);
  EXPECT_EQ(bench.run(0b1110).pc[2], 1);
}

}  // namespace
}  // namespace qgpu::machine
