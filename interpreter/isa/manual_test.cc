#include "interpreter/isa/manual.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "interpreter/base/files.h"
#include "interpreter/isa/assembly.h"
#include "interpreter/isa/encoding.h"
#include "interpreter/isa/rules.h"
#include "interpreter/isa/table.h"
#include "interpreter/protocol/manual.h"
#include "interpreter/protocol/token.h"
#include "interpreter/testing/generate.h"

namespace qgpu::isa {
namespace {

using ::testing::HasSubstr;

void expectCurrent(const std::string& file, const std::string& text) {
  const auto written = readFile(std::string(QGPU_SOURCE_DIR) + "/docs/" + file);
  ASSERT_TRUE(written) << written.error().text();
  EXPECT_TRUE(*written == text) << "docs/" << file << " is not current: run qgpu_write_manual docs";
}

TEST(Manual, PagesAreCurrent) {
  expectCurrent("instructions.md", instructionManual());
  expectCurrent("tokens.md", protocol::tokenManual());
}

// The example of every instruction, in a block of the kind it needs, keeps the rules and assembles.
TEST(Manual, ExamplesKeepTheRules) {
  for (int i = 0; i < kOpcodes; ++i) {
    const auto op = static_cast<Opcode>(i);
    const Row& r = row(op);
    Block block;
    block.header.divide = r.unit == Unit::Divider;
    block.header.replay = r.memory == Memory::Replay;
    if (block.header.divide) block.slots[0] = exampleSlot(Opcode::Div);
    block.slots[op == Opcode::Quo ? 2 : op == Opcode::Rem ? 3 : 0] = exampleSlot(op);
    const auto wrong = violations(block, 1, 2);
    EXPECT_TRUE(wrong.empty()) << r.name << ": " << wrong.front().text();
    const auto program = assemble("block 0:\n" + disassemble(exampleSlot(op)) + "\nexit", "t");
    ASSERT_TRUE(program) << program.error().text();
    EXPECT_EQ(program->blocks[0].slots[0], exampleSlot(op));
  }
}

TEST(Manual, EntriesSayWhatTheRowSays) {
  for (int i = 0; i < kOpcodes; ++i) {
    const auto op = static_cast<Opcode>(i);
    const std::string text = instructionEntry(op);
    EXPECT_THAT(text, HasSubstr(fmt::format("{:06b}", i)));
    EXPECT_THAT(text, HasSubstr(fmt::format("### {}\n", row(op).name)));
    EXPECT_THAT(text, HasSubstr(std::string(row(op).clause)));
    EXPECT_THAT(text, HasSubstr(fmt::format("`{}`", disassemble(exampleSlot(op)))));
  }
}

// The fields of an entry's picture, highest first, without blanks.
std::vector<std::string> cellsOf(Opcode op) {
  std::vector<std::string> cells;
  const std::string text = instructionEntry(op);
  const std::size_t start = text.find("```\n|");
  std::string cell;
  for (std::size_t i = start + 5; text[i] != '`'; ++i) {
    if (text[i] == '|' && !cell.empty()) cells.push_back(std::exchange(cell, ""));
    if (text[i] != '|' && text[i] != ' ' && text[i] != '\n') cell += text[i];
  }
  return cells;
}

// What a picture shows as 0 is 0 in every slot of many programs that keep the rules, and what it
// shows by name is not always 0.
TEST(Manual, PicturesShowTheFieldsInUse) {
  std::array<std::uint64_t, kOpcodes> used{};
  for (std::uint64_t seed = 0; seed < 5'000; ++seed)
    for (const Block& block : isatest::generateCase(seed).program.blocks)
      for (const Slot& s : block.slots) used[static_cast<int>(s.op)] |= encodeSlot(s);
  for (int i = 0; i < kOpcodes; ++i) {
    const auto cells = cellsOf(static_cast<Opcode>(i));
    ASSERT_EQ(cells.size(), kSlotFields.size()) << row(static_cast<Opcode>(i)).name;
    for (std::size_t n = 0; n < cells.size(); ++n) {
      const Field& f = kSlotFields[kSlotFields.size() - 1 - n];
      if (f.first == 0) continue;  // the opcode
      const std::uint64_t bits = used[i] >> f.first & ((std::uint64_t{1} << f.bits) - 1);
      EXPECT_EQ(cells[n] == "0", bits == 0) << row(static_cast<Opcode>(i)).name << " " << f.name;
    }
  }
}

TEST(Manual, EntriesByHand) {
  EXPECT_EQ(instructionEntry(Opcode::Mad),
            "### mad\n\n`[@guard] mad rd, a, b, c`\n\nrd = a * b + c. Modulo 2^32.\n\n"
            "| guard | predicate | memory | PTX | example |\n|---|---|---|---|---|\n"
            "| commits | none | b may be a memory operand | `mad.lo.s32 mad.lo.u32` | "
            "`mad r4!, r1, r2, r3` |\n\n"
            "```\n"
            "|              imm               |   base   |bp|sc| sp |  0   |0 | 0  |gn|\n"
            "|guard |lv|   rd   |     c      |     b      |     a      |   000111   |\n"
            "```\n\n");
}

TEST(Manual, NamesEveryToken) {
  const std::string page = protocol::tokenManual();
  for (int k = 0; k < protocol::kTokenKinds; ++k) {
    const auto kind = static_cast<protocol::TokenKind>(k);
    EXPECT_THAT(page, HasSubstr(fmt::format("| `{}` |", protocol::name(kind))));
    EXPECT_THAT(page, HasSubstr(std::string(protocol::meaning(kind))));
  }
  EXPECT_THAT(page, HasSubstr("block 0-31 · warp 0-7 · mask 0001-1111 | model | 0-3839 |"));
}

}  // namespace
}  // namespace qgpu::isa
