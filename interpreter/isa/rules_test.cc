// Each rule of rules.h with examples that break it, and that nothing else breaks.
#include "interpreter/isa/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interpreter/isa/assembly.h"
#include "interpreter/isa/encoding.h"
#include "interpreter/testing/generate.h"
#include "interpreter/testing/random.h"

namespace qgpu::isa {
namespace {

using ::testing::HasSubstr;

// Block 1 of a program whose block 2 exists; an `exit` where the text has no terminator.
Block blockOf(std::string_view text) {
  for (const char* end : {"", "\nexit"}) {
    const auto program = assemble(
        "block 0:\njump 1\nblock 1:\n" + std::string(text) + end + "\nblock 2:\nexit", "t");
    if (program) return program->blocks[1];
  }
  ADD_FAILURE() << text;
  return {};
}

void expectBroken(const Block& block, int slot, const char* message, int number = 1) {
  const auto found = violations(block, number, 3);
  ASSERT_EQ(found.size(), 1u) << disassemble(block, number)
                              << (found.empty() ? "" : found.back().text());
  EXPECT_EQ(found[0].slot, slot) << disassemble(block, number);
  EXPECT_THAT(found[0].message, HasSubstr(message));
}
void expectBroken(std::string_view text, int slot, const char* message) {
  expectBroken(blockOf(text), slot, message);
}
void expectKept(std::string_view text) {
  const auto found = violations(blockOf(text), 1, 3);
  EXPECT_TRUE(found.empty()) << text << "\n" << found.front().text();
}
// The block after a change that has no text.
template <typename Change>
Block changed(std::string_view text, Change change) {
  Block block = blockOf(text);
  change(block);
  return block;
}

TEST(Rules, Rule1ReadsOnlyWhatIsComputedBefore) {
  expectKept("mov _, 1\nadd _, s1, s1\nadd _, s1, s2\nadd _, s1, s3");
  expectBroken("mov _, s1", 0, "slot 1, which has no earlier result");
  expectBroken("mov _, s2\nmov _, 1", 0, "slot 2");
  expectBroken("nop\nmov _, s1", 1, "slot 1");
  expectBroken("st [global 4 + tid*4], r1\nmov _, s1", 1, "slot 1");
  expectBroken("setp.eq p0, r1, r2\nadd _, r1, s1", 1, "slot 1");
  expectBroken("mov _, [global 4 + s1]", 0, "slot 1");
  expectKept("setp.eq p0, r1, r2\n@s1 mov _, r1\n@!s1 mov _, r1\nbranch s1, 1, 2");
  expectBroken("@s1 mov _, r1", 0, "the guard is slot 1");
  expectBroken("add _, r1, r2\n@s1 mov _, r1", 1, "the guard is slot 1");
  expectKept("add.carry _, r1, r2\n@s1 mov _, r1");
  expectBroken("setp.eq p0, r1, r2\n@s2 pand p0, s1", 1, "the guard is slot 2");
  expectBroken("@p0 pand p0, s1", 0, "the guard is slot 1");
  expectBroken("mov _, 1\nbranch s1, 1, 2", -1, "slot 1 has no predicate");
  expectBroken("branch s4, 1, 2", -1, "slot 4 has no predicate");
  expectKept("nop\nnop\nnop\nvote.any p0\nbranch s4, 1, 2");
}

TEST(Rules, Rule2FieldsWithoutEffectAreZero) {
  const auto broken = [](std::string_view text, auto change, const char* message) {
    expectBroken(changed(text, [&](Block& b) { change(b.slots[0]); }), 0, message);
  };
  broken("mov _, r1", [](Slot& s) { s.a = Operand::reg(1); }, "does not use a");
  broken("popc _, r1", [](Slot& s) { s.b = Operand::reg(1); }, "does not use b");
  broken("add _, r1, r2", [](Slot& s) { s.c = Operand::reg(1); }, "does not use c");
  broken(
      "setp.eq p0, r1, r2",
      [](Slot& s) {
        s.guard = Guard::predicate(1);
        s.c = Operand::reg(1);
      },
      "does not use c");
  broken("mov _, r1", [](Slot& s) { s.rd = 3; }, "names no register");
  broken("mov _, r1", [](Slot& s) { s.live = true; }, "needs a register other than 0");
  broken("setp.eq p0, r1, r2", [](Slot& s) { s.rd = 3, s.live = true; }, "has no result");
  // It is live, and there is no register to be live in.
  const auto both =
      violations(changed("setp.eq p0, r1, r2", [](Block& b) { b.slots[0].live = true; }), 1, 3);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_THAT(both[0].message, HasSubstr("has no result"));
  broken("mov _, r1", [](Slot& s) { s.pd = 1; }, "has no predicate");
  broken("mov _, r1", [](Slot& s) { s.plive = true; }, "has no predicate");
  broken("add _, r1, r2", [](Slot& s) { s.plive = true; }, "has no predicate");
  broken("sub _, r1, r2", [](Slot& s) { s.pd = 1; }, "neither live nor kept");
  broken("@p0 vote.any p0", [](Slot& s) { s.pd = 1; }, "neither live nor kept");
  broken("mov _, r1", [](Slot& s) { s.compare = Compare::Lt; }, "cannot hold this comparison");
  broken("mov _, r1", [](Slot& s) { s.scaled = true; }, "without a memory operand");
  broken("mov _, r1", [](Slot& s) { s.base_parameter = true; }, "without a memory operand");
  broken("ldb _, [global 4 + tid]", [](Slot& s) { s.scaled = true; }, "byte access is not scaled");
  broken("stb [global 4 + tid], r1", [](Slot& s) { s.scaled = true; }, "byte access is not scaled");
  broken("mov _, r1", [](Slot& s) { s.aux = 1; }, "aux is not used");
  broken("shfl.up _, r1, r2, 0:0", [](Slot& s) { s.aux = 16; }, "four bits");
  broken("@p0 pand p0, p1", [](Slot& s) { s.aux |= 16; }, "four bits");
  broken("mov _, r1", [](Slot& s) { s.imm = 1; }, "immediate is not used");
  broken("mov _, [global c1 + tid*4]", [](Slot& s) { s.imm = 1; }, "immediate is not used");
  broken("mov _, r1", [](Slot& s) { s.guard.negate = true; }, "negated guard names a predicate");
  broken("@p0 pand p0, always", [](Slot& s) { s.aux = 8; }, "negated guard names a predicate");
  expectKept("@p1 sub.lt _|p2, r1, r2 else r3");
  expectKept("mov _, [global c1 + 8]");
}

TEST(Rules, Rule2Comparisons) {
  for (unsigned c = 0; c < 8; ++c) {
    const auto compare = static_cast<Compare>(c);
    const auto kept = [&](std::string_view text) {
      const Block block = changed(text, [&](Block& b) { b.slots[0].compare = compare; });
      return violations(block, 1, 3).empty();
    };
    const bool carry = c >= 6, order = c >= 2 && c < 6;
    EXPECT_EQ(kept("sub _, r1, r2"), !carry) << c;
    EXPECT_EQ(kept("setp.eq p0, r1, r2"), !carry) << c;
    EXPECT_EQ(kept("@p0 subc _, r1, r2"), order || c == 0) << c;
    EXPECT_EQ(kept("add _, r1, r2"), carry || c == 0) << c;
    EXPECT_EQ(kept("@p0 addc _, r1, r2"), carry || c == 0) << c;
    EXPECT_EQ(kept("add _, r1, [global 4 + tid*4]"), c == 0) << c;
    EXPECT_EQ(kept("shfl.up _, r1, r2, 0:0"), c == 0) << c;
  }
}

TEST(Rules, Rule3OneParameterWord) {
  expectKept("mad _, c1, c1, c1");
  expectKept("mad _, c1, [global c2 + c1*4], c1");
  expectBroken("add _, c1, c2", 0, "at most one parameter");
  expectBroken("mad _, c1, r1, c2", 0, "at most one parameter");
  expectBroken("@p0 mov _, c0 else c1", 0, "at most one parameter");
}

TEST(Rules, Rule4OneLiveResultForARegister) {
  expectKept("mov r1!, 1\nmov r2!, 2\nsetp.eq p0!, r1, 1\nsetp.eq p1!, r1, 1");
  expectKept("@p0 mov r1!, 1 else r1\nsetp.eq p1!, r1, 1\n@p0 setp.ne p1, r1, 1");
  expectBroken("mov r1!, 1\nmov r2!, 2\nmov r1!, 3", 2, "r1 is written live twice");
  expectBroken("setp.eq p3!, r1, 1\nsetp.eq p3!, r1, 2", 1, "p3 is written live twice");
}

TEST(Rules, Rule5OneMemoryWriteAndNoReadAfterIt) {
  expectKept("mov _, [global 4 + tid*4]\nst [global 4 + tid*4], s1\nmov _, [shared 0 + tid*4]");
  expectBroken("st [global 4 + tid*4], r1\nst [shared 0 + tid*4], r1", 1, "second memory write");
  expectBroken("st [global 4 + tid*4], 4\natom.add _, [shared 0 + tid*4], r1", 1,
               "second memory write");
  expectBroken("st [global 4 + tid*4], r1\nmov _, [global 4 + tid*4]", 1, "after a write");
  expectBroken("atom.add _, [shared 0 + tid*4], r1\nldb _, [shared 0 + tid]", 1, "after a write");
  expectBroken("atom.add _, [shared 0 + r0], r1\nadd _, r1, [shared 0 + tid*4]", 1,
               "after a write");
}

TEST(Rules, Rule6ReplayBlocks) {
  const std::string_view exchange = "atom.exch r1!, [global 4 + r0], 4";
  expectKept(exchange);
  const Block block = blockOf(exchange);
  expectBroken(block, -1, "block 0 cannot replay", 0);
  expectBroken(changed(exchange, [](Block& b) { b.header.replay = false; }), -1,
               "needs a replay block");
  expectBroken(changed("mov _, 1", [](Block& b) { b.header.replay = true; }), -1,
               "nothing in the block replays");
  expectBroken(changed("atom.add _, [global 4 + r0], 4", [](Block& b) { b.header.replay = true; }),
               -1, "nothing in the block replays");
  expectBroken("shfl.up _, r1, 1, 0:0\nstb [global 4 + r0], 4", 0, "no shuffle or vote");
  expectBroken("stb [global 4 + r0], 4\nballot _", 1, "no shuffle or vote");
  expectBroken("atom.cas _, r1, [global 4 + r0], r2\nst [shared 4 + r0], r1", 1,
               "second memory write");
}

TEST(Rules, Rule7DivisionBlocks) {
  expectKept("div r1, 10\nnop\nquo r1!\nrem r2!");
  expectKept("divu 10, c1");
  expectKept("divu 10, c1\nnop\nnop\nrem _");
  expectBroken("div r1, 10\nmov _, 1\nquo r1!", 1, "slot 2 of a division block is nop");
  expectBroken("div r1, 10\nnop\nrem r1!", 2, "slot 3 of a division block");
  expectBroken("div r1, 10\nnop\nnop\nquo r1!", 3, "slot 4 of a division block");
  expectBroken("div r1, 10\nnop\nmov _, 1", 2, "slot 3 of a division block");
  expectBroken("nop\ndiv r1, 10", 1, "outside a division block");
  expectBroken("quo r1!", 0, "outside a division block");
  expectBroken(changed("mov _, 1", [](Block& b) { b.header.divide = true; }), 0, "starts with div");
  expectBroken(changed("div r1, 1", [](Block& b) { b.header.divide = false; }), 0,
               "outside a division");
  expectBroken(changed("div r1, 1", [](Block& b) { b.slots[0].guard = Guard::predicate(0); }), 0,
               "takes no guard");
}

TEST(Rules, Rule8Targets) {
  const auto broken = [](Header h, const char* message) {
    Block block;
    block.header = h;
    expectBroken(block, -1, message);
  };
  using T = Terminator;
  broken({.kind = T::Jump, .target = 0}, "block 0 is never a target");
  broken({.kind = T::Jump, .target = 3}, "there is no block 3");
  broken({.kind = T::Barrier, .target = 127}, "there is no block 127");
  broken({.kind = T::Branch, .target = 1, .other = 0}, "block 0 is never a target");
  broken({.kind = T::Branch, .target = 1, .other = 3}, "there is no block 3");
  broken({.kind = T::ExitIf, .target = 0}, "block 0 is never a target");
  broken({.kind = T::Exit, .target = 1}, "a target that is not used");
  broken({.kind = T::Trap, .target = 1}, "a target that is not used");
  broken({.kind = T::Jump, .target = 1, .other = 1}, "a target that is not used");
  broken({.kind = T::ExitIf, .target = 1, .other = 1}, "a target that is not used");
  broken({.kind = T::Exit, .condition = Condition::predicate(1)}, "a condition that is not used");
  broken({.kind = T::Barrier, .condition = Condition::predicate(0, true), .target = 1},
         "a condition that is not used");
}

TEST(Rules, Rule9CommitInstructionsKeepNothing) {
  // c is the addend: the text has no place for an old value (see assembly_test.cc), nor the slot.
  expectKept("@p0 mad r1!, r1, r2, r3");
  expectKept("@p0 atom.add r1!, [global 4 + tid*4], r3");
}

TEST(Rules, MemoryOperandsWhereTheyBelong) {
  expectBroken("st r1, r2", 0, "needs a memory operand");
  expectBroken("ldb _, r1", 0, "needs a memory operand");
  expectBroken("shl _, r1, [global 4 + tid*4]", 0, "takes no memory operand");
  expectBroken("sub _, r1, [global 4 + tid*4]", 0, "takes no memory operand");
  expectKept("min _, r1, [global 4 + tid*4]");
}

TEST(Rules, Programs) {
  const auto message = [](const Program& p) {
    const auto found = violations(p);
    return found.empty() ? "" : found.front().text();
  };
  EXPECT_EQ(message({}), "block 0: a program has at least one block");
  Program program;
  program.blocks.resize(32);
  EXPECT_EQ(message(program), "");
  program.blocks.resize(37);
  EXPECT_EQ(message(program), "block 32: needs 37 blocks, the ROM holds 32");
  program.blocks.resize(2);
  program.blocks[1].slots[2].rd = 1;
  EXPECT_EQ(message(program), "block 1, slot 3: nop has no result");
  program.blocks[1] = {};
  program.blocks[0].header = {.kind = Terminator::Jump, .target = 2};
  EXPECT_EQ(message(program), "block 0: there is no block 2");
}

// A valid program has one encoding: two slots that keep the rules and have one text are one slot.
TEST(Rules, NoFieldWithoutEffect) {
  isatest::Random random(7);
  int valid = 0;
  for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
    const Program program = isatest::generateCase(seed).program;
    ASSERT_TRUE(violations(program).empty());
    const int number = random.below(static_cast<int>(program.blocks.size()));
    const Block& block = program.blocks[number];
    const int i = random.below(kMachine.slots);
    for (const Field& f : kSlotFields) {
      const std::uint64_t field = ((std::uint64_t{1} << f.bits) - 1) << f.first;
      const std::uint64_t word = encodeSlot(block.slots[i]);
      const auto other = decodeSlot((word & ~field) | (random.next() & field));
      Block mutant = block;
      if (!other || *other == block.slots[i]) continue;
      mutant.slots[i] = *other;
      if (!violations(mutant, number, 32).empty()) continue;
      ++valid;
      ASSERT_NE(disassemble(mutant, number), disassemble(block, number)) << f.name;
    }
  }
  EXPECT_GT(valid, 3'000);
}

}  // namespace
}  // namespace qgpu::isa
