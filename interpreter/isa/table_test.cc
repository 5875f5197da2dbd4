// Every clause of the instruction table against its plain statement (testing/plain_clauses.h).
#include "interpreter/isa/table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "interpreter/testing/plain_clauses.h"
#include "interpreter/testing/random.h"

namespace qgpu::isa {
namespace {

using isatest::MemoryKind;
using isatest::PlainIn;
using isatest::PlainKind;
using isatest::PlainOut;
using isatest::Random;

constexpr std::array<std::uint32_t, 26> kEdges = {
    0,          1,          2,          3,          5,          7,          31,
    32,         33,         63,         127,        128,        255,        256,
    0x7fff,     0x8000,     0xffff,     0x10000,    0x7ffffffe, 0x7fffffff, 0x80000000,
    0x80000001, 0xaaaaaaaa, 0xfffffffe, 0xffffffff, 0x12345678};

std::vector<Opcode> allOpcodes() {
  std::vector<Opcode> all;
  for (int i = 0; i < kOpcodes; ++i) all.push_back(static_cast<Opcode>(i));
  return all;
}
// Those whose clause is about one lane.
std::vector<Opcode> laneOpcodes() {
  std::vector<Opcode> found = allOpcodes();
  std::erase_if(found, [](Opcode op) { return row(op).unit == Unit::Lanes; });
  return found;
}
std::string nameOf(const ::testing::TestParamInfo<Opcode>& info) {
  std::string text(row(info.param).name);
  std::replace(text.begin(), text.end(), '.', '_');
  return text;
}

// The comparisons that a row may hold; Eq alone where it holds none.
std::vector<Compare> comparisons(const Row& r) {
  std::vector<Compare> found;
  for (unsigned c = 0; c < 8; ++c) {
    const auto compare = static_cast<Compare>(c);
    const bool order = compare >= Compare::Lt && compare <= Compare::Geu;
    const bool carry = compare >= Compare::Carry;
    const bool used = (r.predicate == PredicateUse::Compare && !carry) ||
                      (r.predicate == PredicateUse::Order && order) ||
                      (r.predicate == PredicateUse::Carry && carry);
    if (used || (c == 0)) found.push_back(compare);
  }
  return found;
}

class Clause : public ::testing::TestWithParam<Opcode> {
 protected:
  const Opcode op_ = GetParam();
  const Row& row_ = row(op_);

  PlainIn laneOf(const WarpIn& in, int l) const {
    PlainIn x{.a = in.a[l], .b = in.b[l], .c = in.c[l], .byte = static_cast<int>(in.byte[l])};
    x.guard = (in.guard >> l & 1) != 0;
    x.second = (in.second >> l & 1) != 0;
    x.compare = in.compare;
    return x;
  }

  // What the plain statement says of one lane. Quotient and remainder are told the quotient by
  // their division: its row hands it over in c.
  PlainOut expected(WarpIn& in, int l) const {
    PlainIn x = laneOf(in, l);
    if (op_ == Opcode::Quo || op_ == Opcode::Rem) {
      const PlainIn division{.a = x.a, .b = x.b};
      const Opcode from = x.guard ? Opcode::Div : Opcode::Divu;
      in.c[l] = isatest::plainLane(from, division)->r;
    }
    const auto plain = isatest::plainLane(op_, x);
    EXPECT_TRUE(plain.has_value()) << row_.name << " has no plain statement";
    return plain.value_or(PlainOut{});
  }

  void compareLanes(WarpIn in) const {
    std::array<PlainOut, 4> plain;
    for (int l = 0; l < 4; ++l) plain[l] = expected(in, l);
    WarpOut out;
    row_.run(in, out);
    const bool predicate = computesPredicate({.op = op_, .compare = in.compare});
    for (int l = 0; l < 4; ++l) {
      ASSERT_EQ(out.r[l], plain[l].r) << row_.name << std::hex << " a " << in.a[l] << " b "
                                      << in.b[l] << " c " << in.c[l] << " byte " << in.byte[l];
      ASSERT_EQ(predicate && (out.p >> l & 1) != 0, predicate && plain[l].p)
          << row_.name << std::hex << " a " << in.a[l] << " b " << in.b[l] << " compare "
          << static_cast<int>(in.compare) << " guard " << in.guard;
    }
  }

  void withInputs(WarpIn in) const {
    // Four guards where they are data, else all or none.
    const bool data = row_.guard == GuardUse::Input || row_.unit == Unit::Divider;
    for (const Compare compare : comparisons(row_))
      for (LaneMask guard = 0; guard < 16; guard += data ? 5 : 15) {
        in.compare = compare;
        in.guard = guard;
        in.second = guard * 7 & 15;
        ASSERT_NO_FATAL_FAILURE(compareLanes(in));
      }
  }
};

TEST_P(Clause, AgreesOnEdges) {
  Random random(2);
  for (const std::uint32_t a : kEdges)
    for (const std::uint32_t b : kEdges)
      for (std::size_t i = 0; i < kEdges.size(); i += row_.c ? 1 : kEdges.size()) {
        WarpIn in;
        // The edge pair in two lanes, swapped in the third, shifted in the last.
        in.a = {a, a, b, a + 1};
        in.b = {b, b + 1, a, b - 1};
        for (int l = 0; l < 4; ++l) {
          in.c[l] = l == 0 ? kEdges[i] : random.word();
          in.byte[l] = static_cast<std::uint32_t>(random.below(4) & ~(row_.width - 1));
        }
        ASSERT_NO_FATAL_FAILURE(withInputs(in));
      }
}

TEST_P(Clause, AgreesOnRandomOperands) {
  Random random(3);
  for (int i = 0; i < 5'000; ++i) {
    WarpIn in;
    for (int l = 0; l < 4; ++l) {
      in.a[l] = random.word();
      in.b[l] = random.chance(10) ? in.a[l] : random.word();
      in.c[l] = random.word();
      in.byte[l] = static_cast<std::uint32_t>(random.below(4) & ~(row_.width - 1));
    }
    ASSERT_NO_FATAL_FAILURE(withInputs(in));
  }
}

INSTANTIATE_TEST_SUITE_P(Table, Clause, ::testing::ValuesIn(laneOpcodes()), nameOf);

// ---- Between lanes. ----

TEST(Shuffle, AgreesForEveryLaneRangeAndAmount) {
  Random random(5);
  for (const Opcode op : {Opcode::ShflIdx, Opcode::ShflUp, Opcode::ShflDown, Opcode::ShflXor})
    for (std::uint32_t aux = 0; aux < 16; ++aux)
      for (std::uint32_t b = 0; b < 256; ++b) {
        WarpIn in{.a = {10, 11, 12, 13}, .b = {b % 64, b % 64, b % 64, b % 64}};
        if (b >= 64)  // each lane its own amount, with bits above the five that count
          for (std::uint32_t& word : in.b) word = static_cast<std::uint32_t>(random.next()) & ~24u;
        in.aux = aux;
        in.mask = static_cast<LaneMask>(random.below(16));  // plays no part
        in.guard = static_cast<LaneMask>(random.below(16));
        const auto plain = isatest::plainShuffle(op, in.a, in.b, static_cast<int>(aux & 3),
                                                 static_cast<int>(aux >> 2));
        ASSERT_TRUE(plain);
        WarpOut out;
        row(op).run(in, out);
        ASSERT_EQ(out.r, plain->r) << row(op).name << " aux " << aux << " b " << in.b[0];
        for (int l = 0; l < 4; ++l) ASSERT_EQ((out.p >> l & 1) != 0, plain->p[l]);
      }
}

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

TEST(Vote, AgreesForEveryVoteAndMask) {
  for (const Opcode op : {Opcode::VoteAny, Opcode::VoteAll, Opcode::VoteUni, Opcode::Ballot})
    for (LaneMask votes = 0; votes < 16; ++votes)
      for (LaneMask mask = 0; mask < 16; ++mask) {
        isatest::PlainBits plain_votes{}, running{};
        for (int l = 0; l < 4; ++l) {
          plain_votes[l] = (votes >> l & 1) != 0;
          running[l] = (mask >> l & 1) != 0;
        }
        const auto plain = isatest::plainVote(op, plain_votes, running);
        ASSERT_TRUE(plain);
        WarpOut out;
        row(op).run({.guard = votes, .mask = mask}, out);
        ASSERT_EQ(out.r, plain->r);
        for (int l = 0; l < 4; ++l) ASSERT_EQ((out.p >> l & 1) != 0, plain->p[l]);
      }
}

// ---- The table as a whole. ----

MemoryKind plainMemory(Memory memory) {
  switch (memory) {
    case Memory::None:
    case Memory::Optional: break;
    case Memory::Load: return MemoryKind::Load;
    case Memory::Store: return MemoryKind::Store;
    case Memory::Combine: return MemoryKind::Add;
    case Memory::Replay: return MemoryKind::Replay;
  }
  return MemoryKind::None;
}

TEST(Table, RowsAreOfTheStatedKind) {
  for (const Opcode op : allOpcodes()) {
    const Row& r = row(op);
    SCOPED_TRACE(r.name);
    const PlainKind kind = isatest::plainKind(op);
    EXPECT_EQ(r.result, kind.result);
    EXPECT_EQ(r.predicate != PredicateUse::None, kind.predicate);
    EXPECT_EQ(r.guard == GuardUse::Input, kind.guard_is_input);
    EXPECT_EQ(r.guard == GuardUse::Commit, kind.c_is_operand);
    EXPECT_EQ(r.c, kind.c_is_operand);
    EXPECT_EQ(r.width, kind.width);
    EXPECT_EQ(plainMemory(r.memory), kind.memory);
    for (const Compare compare : comparisons(r)) {
      const Slot s{.op = op, .compare = compare};
      EXPECT_EQ(computesPredicate(s), isatest::plainPredicate(s)) << static_cast<int>(compare);
    }
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
