#include "interpreter/isa/assembly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "interpreter/isa/encoding.h"
#include "interpreter/testing/generate.h"
#include "interpreter/testing/random.h"

namespace qgpu::isa {
namespace {

// One block of one slot and `exit`.
Expected<Program> assembleSlot(std::string_view slot) {
  return assemble("block 0:\n" + std::string(slot) + "\nexit\n", "t");
}

struct SlotText {
  const char* text;
  Slot slot;
};

Operand r(int n) { return Operand::reg(n); }
Operand s(int n) { return Operand::slot(n - 1); }
Operand c(int n) { return Operand::parameter(n); }
Operand tid() { return Operand::special(Special::Tid); }
Operand imm() { return Operand::immediate(); }

std::vector<SlotText> slotTexts() {
  return {
      {"nop", {}},
      {"mov r1!, 7", {.op = Opcode::Mov, .b = imm(), .rd = 1, .live = true, .imm = 7}},
      {"mov _, c31", {.op = Opcode::Mov, .b = c(31)}},
      {"@!p3 mov r2!, r4 else gtid",
       {.op = Opcode::Mov,
        .b = r(4),
        .c = Operand::special(Special::Gtid),
        .rd = 2,
        .live = true,
        .guard = Guard::predicate(3, true)}},
      {"add _, r1, r2", {.op = Opcode::Add, .a = r(1), .b = r(2)}},
      {"add.carry _|p1!, r1, -32768",
       {.op = Opcode::Add,
        .a = r(1),
        .b = imm(),
        .pd = 1,
        .plive = true,
        .compare = Compare::Carry,
        .imm = -32768}},
      {"sub r3!, r1, 1",
       {.op = Opcode::Sub, .a = r(1), .b = imm(), .rd = 3, .live = true, .imm = 1}},
      {"sub.ltu _, r1, r2", {.op = Opcode::Sub, .a = r(1), .b = r(2), .compare = Compare::Ltu}},
      {"sub.eq _|p0!, r1, r2", {.op = Opcode::Sub, .a = r(1), .b = r(2), .plive = true}},
      {"setp.lt p2!, tid, c2",
       {.op = Opcode::Setp, .a = tid(), .b = c(2), .pd = 2, .plive = true, .compare = Compare::Lt}},
      {"@s1 mad r3!, s2, [global 84 + tid*4], r3",
       {.op = Opcode::Mad,
        .a = s(2),
        .b = tid(),
        .c = r(3),
        .rd = 3,
        .live = true,
        .guard = Guard::slot(0),
        .space = Space::Global,
        .scaled = true,
        .imm = 84}},
      {"ldb r2!, [global c31 + r1]",
       {.op = Opcode::Ldb,
        .b = r(1),
        .rd = 2,
        .live = true,
        .space = Space::Global,
        .base_parameter = true,
        .aux = 31}},
      {"sth [shared c9 + r0], 5",
       {.op = Opcode::Sth,
        .b = r(0),
        .c = imm(),
        .space = Space::Shared,
        .base_parameter = true,
        .aux = 9,
        .imm = 5}},
      {"ldb _, [global -1 + lane]",
       {.op = Opcode::Ldb,
        .b = Operand::special(Special::Lane),
        .space = Space::Global,
        .imm = -1}},
      {"shfl.down r1!|p2!, r1, 1, 3:2",
       {.op = Opcode::ShflDown,
        .a = r(1),
        .b = imm(),
        .rd = 1,
        .live = true,
        .pd = 2,
        .plive = true,
        .aux = 3 | 2 << 2,
        .imm = 1}},
      {"@p1 pand p0!, !s2",
       {.op = Opcode::Pand, .guard = Guard::predicate(1), .plive = true, .aux = 6 | 8}},
      {"por p0, always", {.op = Opcode::Por}},
      {"@s3 ballot r1!", {.op = Opcode::Ballot, .rd = 1, .live = true, .guard = Guard::slot(2)}},
      {"divu ntid, nctaid",
       {.op = Opcode::Divu,
        .a = Operand::special(Special::Ntid),
        .b = Operand::special(Special::Nctaid)}},
  };
}

TEST(Assembly, SlotsBothWays) {
  for (const SlotText& example : slotTexts()) {
    EXPECT_EQ(disassemble(example.slot), example.text);
    const auto program = assembleSlot(example.text);
    ASSERT_TRUE(program) << program.error().text();
    EXPECT_EQ(program->blocks[0].slots[0], example.slot) << example.text;
  }
}

TEST(Assembly, TerminatorsBothWays) {
  const std::vector<std::pair<const char*, Header>> examples = {
      {"jump 31", {.kind = Terminator::Jump, .target = 31}},
      {"branch !s4, 3, 2",
       {.kind = Terminator::Branch,
        .condition = Condition::slot(3, true),
        .target = 3,
        .other = 2}},
      {"exit.if p3, 1",
       {.kind = Terminator::ExitIf, .condition = Condition::predicate(3), .target = 1}},
      {"bar 2", {.kind = Terminator::Barrier, .target = 2}},
      {"exit", {.kind = Terminator::Exit}},
      {"trap", {.kind = Terminator::Trap}},
  };
  for (const auto& [text, header] : examples) {
    EXPECT_EQ(disassemble(header), text);
    const auto program = assemble("block 0:\n" + std::string(text), "t");
    ASSERT_TRUE(program) << program.error().text();
    EXPECT_EQ(program->blocks[0].header, header) << text;
  }
}

// The example at the top of assembly.h, and what may be written otherwise.
TEST(Assembly, ProgramsBothWays) {
  const std::string text =
      "block 0:\n"
      "  jump 1\n"
      "block 1:\n"
      "  setp.lt p0!, tid, c2\n"
      "  @s1 mov _, [global 4 + tid*4]\n"
      "  @s1 mad r3!, s2, [global 84 + tid*4], r3\n"
      "  branch !s1, 3, 2\n"
      "block 2:\n"
      "  exit\n"
      "block 3:\n"
      "  nop\n"
      "  atom.exch r1!, [shared 4 + r0], 4\n"
      "  exit\n";
  const auto program = assemble(text, "t");
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_EQ(disassemble(*program), text);
  EXPECT_TRUE(program->blocks[3].header.replay);

  const std::string loose =
      "; a comment\r\n\n  block   0 :  \n\tjump 1 ; go\n"
      "block 1:\nsetp.lt p0!,tid,c2\n@ s1 mov _,[ global 4+tid * 4 ]\n"
      "@s1 mad r3!, s2, [global 84 + tid*4], r3\nbranch ! s1,3,2\nblock 2:\nexit\n"
      "block 3:\nnop\natom.exch r1!|p0, [shared 4 + r0], 4\nexit";
  const auto refused = assemble(loose, "t");
  ASSERT_FALSE(refused);  // atom.exch has no predicate
  const std::string fixed = std::string(loose).replace(loose.find("|p0"), 3, "");
  const auto same = assemble(fixed, "t");
  ASSERT_TRUE(same) << same.error().text();
  EXPECT_EQ(*same, *program);
}

TEST(Assembly, ShortAndLongFormsOfAPredicate) {
  const auto plain = assembleSlot("sub r1!, r2, r3");
  const auto spelled = assembleSlot("sub.eq r1!|p0, r2, r3");
  ASSERT_TRUE(plain && spelled);
  EXPECT_EQ(*plain, *spelled);
}

TEST(Assembly, RefusalsSayWhere) {
  struct Bad {
    const char* text;
    int line, column;
    const char* message;
  };
  const std::array examples = {
      Bad{"exit", 1, 1, "expected \"block N:\""},
      Bad{"block 1:", 1, 8, "expected block 0"},
      Bad{"block 32:", 1, 7, "number from 0 to 31"},
      Bad{"block 0\nexit", 1, 8, "expected \":\""},
      Bad{"block 0:\n", 1, 1, "no terminator"},
      Bad{"block 0:\nblock 1:\nexit", 2, 6, "no terminator"},
      Bad{"block 0:\n  frob r1!, r2\n", 2, 7, "no instruction \"frob\""},
      Bad{"block 0:\n  mov.up r1!, r2\n", 2, 9, "no instruction"},
      Bad{"block 0:\n  mov r16!, r2\n", 2, 8, "number from 1 to 15"},
      Bad{"block 0:\n  mov r0!, r2\n", 2, 8, "number from 1 to 15"},
      Bad{"block 0:\n  mov r1, r2\n", 2, 9, "expected \"!\""},
      Bad{"block 0:\n  mov r1!, r16\n", 2, 13, "number from 0 to 15"},
      Bad{"block 0:\n  mov r1!, c32\n", 2, 13, "number from 0 to 31"},
      Bad{"block 0:\n  mov r1!, s4\n", 2, 13, "number from 1 to 3"},
      Bad{"block 0:\n  mov r1!, q\n", 2, 12, "expected an operand"},
      Bad{"block 0:\n  mov r1!, 32768\n", 2, 12, "-32768 to 32767"},
      Bad{"block 0:\n  mov r1!, 99999999999999999999\n", 2, 12, "-32768 to 32767"},
      Bad{"block 0:\n  add r1!, 1, 2\n", 2, 16, "one immediate"},
      Bad{"block 0:\n  st [global 4 + tid*2], r1\n", 2, 23, "scales by 4"},
      Bad{"block 0:\n  st [local 4 + tid], r1\n", 2, 7, "global or shared"},
      Bad{"block 0:\n  mad r1!, r1, r1, r1 else r2\n", 2, 27, "keeps no old value"},
      Bad{"block 0:\n  @p4 mov _, r1\n", 2, 5, "number from 0 to 3"},
      Bad{"block 0:\n  @x mov _, r1\n", 2, 4, "expected a predicate"},
      Bad{"block 0:\n  mov _, r1 r2\n", 2, 13, "unexpected text"},
      Bad{"block 0:\n  shfl.up _, r1, 1, 4:0\n", 2, 21, "number from 0 to 3"},
      Bad{"block 0:\n  nop\n nop\n nop\n nop\n nop\n", 6, 5, "four slots"},
      Bad{"block 0:\n  @p0 exit\n", 2, 11, "no instruction"},
      Bad{"block 0:\n  branch p0, 1\n", 2, 15, "expected \",\""},
      Bad{"block 0:\n  jump 32\n", 2, 8, "number from 0 to 31"},
  };
  for (const Bad& bad : examples) {
    const auto program = assemble(bad.text, "f.s");
    ASSERT_FALSE(program) << bad.text;
    const Failure& f = program.error();
    EXPECT_EQ(f.kind, FailureKind::Refusal);
    EXPECT_EQ(f.location, (Location{"f.s", bad.line, bad.column})) << bad.text << f.text();
    EXPECT_THAT(f.message, ::testing::HasSubstr(bad.message)) << bad.text;
  }
}

TEST(Assembly, AssemblesWhatItDisassembles) {
  for (std::uint64_t seed = 0; seed < 4'000; ++seed) {
    const Program program = isatest::generateCase(seed).program;
    const std::string text = disassemble(program);
    const auto same = assemble(text, "t");
    ASSERT_TRUE(same) << same.error().text() << "\n" << text;
    ASSERT_EQ(*same, program) << text;
  }
}

// Undefined encodings have no text, but printing anything else must do no harm.
TEST(Assembly, DisassemblesWhatBreaksTheRules) {
  isatest::Random random(1);
  for (int i = 0; i < 100'000; ++i) {
    const auto slot = decodeSlot(random.next());
    ASSERT_TRUE(!slot || !disassemble(*slot).empty());
  }
}

RC_GTEST_PROP(Assembly, AnyTextIsRefusedOrAssembled, (const std::string& text)) {
  (void)assemble(text, "t");
  (void)assemble("block 0:\n" + text, "t");
}

// Texts made of the language's own words get further into the grammar.
TEST(Assembly, ShuffledWordsAreRefusedOrRoundTrip) {
  static constexpr std::array kWords = {
      "block", " 0",     ":",   "\n",    "mov",  "add",    ".lt",     "sub.ne",       " r1",
      "!",     "_",      "|p0", ", ",    "@",    "p1",     "s2",      "[global 4 + ", "tid",
      "*4",    "]",      "-7",  "else ", "exit", "jump 1", "branch ", "nop",          "shfl.up ",
      "3:1",   "always", "c3",  "stb ",  ";",    " ",      "\n",      ", r2",         "!s1"};
  isatest::Random random(2);
  int assembled = 0;
  for (int i = 0; i < 60'000; ++i) {
    std::string text = "block 0:\n";
    for (int n = random.below(9); n >= 0; --n) text += random.pick(kWords);
    if (random.chance(50)) text += "\nexit";
    const auto program = assemble(text, "t");
    if (!program) continue;
    ++assembled;
    const auto again = assemble(disassemble(*program), "t");
    ASSERT_TRUE(again) << text << "\n" << disassemble(*program) << again.error().text();
  }
  EXPECT_GT(assembled, 500);
}

TEST(Assembly, LongTextTakesLinearTime) {
  EXPECT_FALSE(assemble(std::string(4 << 20, '\n') + "x", "t"));
  EXPECT_FALSE(assemble("block 0:" + std::string(4 << 20, ' ') + "x", "t"));
}

}  // namespace
}  // namespace qgpu::isa
