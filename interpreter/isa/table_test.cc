// Every clause of the instruction table against its plain statement (testing/plain_clauses.h).
#include "interpreter/isa/table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "interpreter/testing/clause_check.h"
#include "interpreter/testing/plain_clauses.h"
#include "interpreter/testing/random.h"

namespace qgpu::isa {
namespace {

using isatest::Random;

std::vector<Opcode> allOpcodes() {
  std::vector<Opcode> all;
  for (int i = 0; i < kOpcodes; ++i) all.push_back(static_cast<Opcode>(i));
  return all;
}
std::string nameOf(const ::testing::TestParamInfo<Opcode>& info) {
  std::string text(row(info.param).name);
  std::replace(text.begin(), text.end(), '.', '_');
  return text;
}

class Clause : public ::testing::TestWithParam<Opcode> {};

TEST_P(Clause, AgreesWithItsPlainStatement) {
  EXPECT_EQ(isatest::clauseDisagreement(GetParam()), std::nullopt);
}
TEST_P(Clause, IsOfTheStatedKind) {
  EXPECT_EQ(isatest::kindDisagreement(GetParam()), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Table, Clause, ::testing::ValuesIn(allOpcodes()), nameOf);

// ---- Between lanes. ----

// CUDA's width-4 shuffles by hand: clamp 3 (0 for up), one segment.
TEST(Shuffle, Width4) {
  const auto run = [](Opcode op, std::uint32_t b, std::uint32_t aux) {
    WarpOut out;
    row(op).run({.a = {1, 2, 3, 4}, .b = {b, b, b, b}, .aux = aux}, out);
    return out;
  };
  EXPECT_EQ(run(Opcode::ShflUp, 1, 0).r, (LaneWords{1, 1, 2, 3}));
  EXPECT_EQ(run(Opcode::ShflUp, 1, 0).p, 0b1110u);
  EXPECT_EQ(run(Opcode::ShflDown, 1, 3).r, (LaneWords{2, 3, 4, 4}));
  EXPECT_EQ(run(Opcode::ShflDown, 1, 3).p, 0b0111u);
  EXPECT_EQ(run(Opcode::ShflXor, 2, 3).r, (LaneWords{3, 4, 1, 2}));
  EXPECT_EQ(run(Opcode::ShflIdx, 2, 3).r, (LaneWords{3, 3, 3, 3}));
  // Two segments of two lanes: the segment mask is 2.
  EXPECT_EQ(run(Opcode::ShflDown, 1, 3 | 2 << 2).r, (LaneWords{2, 2, 4, 4}));
  EXPECT_EQ(run(Opcode::ShflUp, 1, 0 | 2 << 2).r, (LaneWords{1, 1, 3, 3}));
  EXPECT_EQ(run(Opcode::ShflIdx, 1, 3 | 2 << 2).r, (LaneWords{2, 2, 4, 4}));
}

// ---- The table as a whole. ----

TEST(Table, PredicatesAreComputedWhereStated) {
  for (const Opcode op : allOpcodes())
    for (const Compare compare : isatest::comparisons(row(op))) {
      const Slot s{.op = op, .compare = compare};
      EXPECT_EQ(computesPredicate(s), isatest::plainPredicate(s))
          << row(op).name << ' ' << static_cast<int>(compare);
    }
}

TEST(Table, WithoutAResultItIsZero) {
  Random random(4);
  for (const Opcode op : allOpcodes()) {
    const Row& r = row(op);
    if (r.result || r.writesMemory() || r.unit == Unit::Divider) continue;
    for (int i = 0; i < 100; ++i) {
      WarpIn in;
      for (int l = 0; l < 4; ++l) in.a[l] = in.b[l] = in.c[l] = random.word();
      in.guard = in.mask = static_cast<LaneMask>(random.below(16));
      WarpOut out{{1, 2, 3, 4}, 0};
      r.run(in, out);
      EXPECT_EQ(out.r, LaneWords{}) << r.name;
    }
  }
}

TEST(Table, EveryRowHasAPlainStatement) {
  for (const Opcode op : allOpcodes()) {
    const bool stated = isatest::plainLane(op, {}) || isatest::plainShuffle(op, {}, {}, 0, 0) ||
                        isatest::plainVote(op, {}, {});
    EXPECT_TRUE(stated) << row(op).name;
  }
}

TEST(Table, NamesAndPatternsAreUniqueAndFound) {
  std::set<std::string_view> names, patterns;
  for (const Opcode op : allOpcodes()) {
    const Row& r = row(op);
    EXPECT_TRUE(names.insert(r.name).second) << r.name;
    EXPECT_EQ(opcodeNamed(r.name), op);
    EXPECT_FALSE(r.clause.empty());
    std::string_view rest = r.ptx;
    while (!rest.empty()) {
      const std::string_view one = rest.substr(0, rest.find(' '));
      EXPECT_TRUE(patterns.insert(one).second) << one;
      EXPECT_EQ(opcodeForPtx(one), op);
      rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    }
  }
  for (const std::string_view nothing : {"", " ", "add.s", "add.s32 add.u32", "frobnicate"}) {
    EXPECT_FALSE(opcodeNamed(nothing)) << nothing;
    EXPECT_FALSE(opcodeForPtx(nothing)) << nothing;
  }
}

TEST(Table, RowsStandInTheOrderOfTheOpcodes) {
  EXPECT_EQ(row(Opcode::Nop).name, "nop");
  EXPECT_EQ(row(Opcode::Rem).name, "rem");
  EXPECT_EQ(row(Opcode::ShflXor).name, "shfl.xor");
  EXPECT_EQ(row(Opcode::AtomCas).name, "atom.cas");
  EXPECT_EQ(rows().size(), 58u);
}

// ---- Values by hand. ----

std::uint32_t one(Opcode op, std::uint32_t a, std::uint32_t b, std::uint32_t c = 0) {
  WarpOut out;
  row(op).run({.a = {a}, .b = {b}, .c = {c}}, out);
  return out.r[0];
}

TEST(Division, Edges) {
  const auto s = [](std::int32_t x) { return static_cast<std::uint32_t>(x); };
  struct Case {
    Opcode op;
    std::uint32_t a, b, quotient, remainder;
  };
  const std::array cases = {
      Case{Opcode::Div, s(7), s(2), s(3), s(1)},
      Case{Opcode::Div, s(-7), s(2), s(-3), s(-1)},
      Case{Opcode::Div, s(7), s(-2), s(-3), s(1)},
      Case{Opcode::Div, s(-7), s(-2), s(3), s(-1)},
      Case{Opcode::Div, 0x80000000, s(-1), 0x80000000, 0},
      Case{Opcode::Div, 0x80000000, s(1), 0x80000000, 0},
      Case{Opcode::Div, 5, 0, 0xffffffff, 0xffffffff},
      Case{Opcode::Div, s(-5), 0, 0xffffffff, 0xffffffff},
      Case{Opcode::Divu, 0x80000000, s(-1), 0, 0x80000000},
      Case{Opcode::Divu, 0xffffffff, 10, 429496729, 5},
      Case{Opcode::Divu, 0, 0, 0xffffffff, 0xffffffff},
      Case{Opcode::Divu, 9, 10, 0, 9},
  };
  for (const Case& c : cases) {
    const std::uint32_t quotient = one(c.op, c.a, c.b);
    EXPECT_EQ(one(Opcode::Quo, c.a, c.b, quotient), c.quotient) << c.a << " / " << c.b;
    EXPECT_EQ(one(Opcode::Rem, c.a, c.b, quotient), c.remainder) << c.a << " % " << c.b;
  }
}

TEST(Clauses, ByHand) {
  EXPECT_EQ(one(Opcode::Sar, 0x80000000, 31), 0xffffffffu);
  EXPECT_EQ(one(Opcode::Sar, 0x80000000, 0xffffffff), 0xffffffffu);
  EXPECT_EQ(one(Opcode::Shl, 1, 32), 0u);
  EXPECT_EQ(one(Opcode::Rotl, 0x80000001, 33), 3u);
  EXPECT_EQ(one(Opcode::Clz, 0, 0), 32u);
  EXPECT_EQ(one(Opcode::Brev, 0x00000005, 0), 0xa0000000u);
  EXPECT_EQ(one(Opcode::Madh, 0xffffffff, 0xffffffff, 5), 5u);  // (-1)(-1) = 1
  EXPECT_EQ(one(Opcode::Madhu, 0xffffffff, 0xffffffff, 5), 0xfffffffeu + 5);
  EXPECT_EQ(one(Opcode::Prmt, 0x44332211, 0x88776655, 0x0123), 0x11223344u);
  EXPECT_EQ(one(Opcode::Prmt, 0x44332211, 0x88776655, 0x7bf4), 0x8800ff55u);
}

}  // namespace
}  // namespace qgpu::isa
