#include "interpreter/isa/encoding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "interpreter/testing/random.h"

namespace qgpu::isa {
namespace {

using isatest::Random;

// A slot whose fields are anything that has an encoding, whether the block rules like it or not.
Slot anySlot(Random& random) {
  const auto operand = [&] {
    const int code = random.below(60);
    return Operand::fromCode(static_cast<std::uint32_t>(code < 28 ? code : code + 4));
  };
  const auto flag = [&] { return random.chance(50); };
  const auto small = [&](int count) { return static_cast<std::uint8_t>(random.below(count)); };
  Slot s;
  s.op = static_cast<Opcode>(random.below(kOpcodes));
  s.a = operand();
  s.b = operand();
  s.c = operand();
  s.rd = small(16);
  s.live = flag();
  s.guard = {small(8), flag()};
  s.pd = small(4);
  s.plive = flag();
  s.compare = static_cast<Compare>(random.below(8));
  s.space = static_cast<Space>(random.below(3));
  s.scaled = flag();
  s.base_parameter = flag();
  s.aux = small(32);
  s.imm = static_cast<std::int16_t>(random.next());
  return s;
}

Header anyHeader(Random& random) {
  const auto flag = [&] { return random.chance(50); };
  const auto small = [&](int count) { return static_cast<std::uint8_t>(random.below(count)); };
  return {.kind = static_cast<Terminator>(random.below(kTerminators)),
          .condition = {small(8), flag()},
          .target = small(128),
          .other = small(128),
          .divide = flag(),
          .replay = flag()};
}

template <typename Fields>
void expectContiguous(const Fields& fields, int bits) {
  int next = 0;
  for (const Field& f : fields) {
    EXPECT_EQ(f.first, next) << f.name;
    next += f.bits;
  }
  EXPECT_EQ(next, bits);
}

TEST(Encoding, LayoutsHaveNoGaps) {
  expectContiguous(kSlotFields, 64);
  expectContiguous(kHeaderFields, 23);
}

// Words put together by hand from the layout that encoding.h draws.
TEST(Encoding, PutsEveryFieldWhereTheLayoutSays) {
  const Slot s{.op = Opcode::Sub,
               .a = Operand::slot(1),
               .b = Operand::immediate(),
               .c = Operand::parameter(31),
               .rd = 9,
               .live = true,
               .guard = Guard::slot(2, true),
               .pd = 2,
               .plive = true,
               .compare = Compare::Geu,
               .space = Space::Shared,
               .scaled = true,
               .base_parameter = false,
               .aux = 21,
               .imm = -2};
  const std::uint64_t low = 4 | 17u << 6 | 19u << 12 | 63u << 18 | 9u << 24 | 1u << 28 | 7u << 29;
  const std::uint64_t high =
      1 | 2u << 1 | 1u << 3 | 5u << 4 | 2u << 7 | 1u << 9 | 0u << 10 | 21u << 11 | 0xfffeu << 16;
  EXPECT_EQ(encodeSlot(s), high << 32 | low);
  EXPECT_EQ(*decodeSlot(high << 32 | low), s);

  const Header h{.kind = Terminator::ExitIf,
                 .condition = Condition::slot(3, true),
                 .target = 31,
                 .other = 64,
                 .divide = true,
                 .replay = false};
  EXPECT_EQ(encodeHeader(h), 2u | 7u << 3 | 1u << 6 | 31u << 7 | 64u << 14 | 1u << 21);
}

TEST(Encoding, OperandCodes) {
  EXPECT_EQ(Operand::reg(15).code(), 15u);
  EXPECT_EQ(Operand::slot(2).code(), 18u);
  EXPECT_EQ(Operand::immediate().code(), 19u);
  EXPECT_EQ(Operand::special(Special::Tid).code(), 20u);
  EXPECT_EQ(Operand::special(Special::Mask).code(), 27u);
  EXPECT_EQ(Operand::parameter(0).code(), 32u);
  EXPECT_EQ(Operand::parameter(31).code(), 63u);
  for (std::uint32_t code = 0; code < 64; ++code) {
    const Operand o = Operand::fromCode(code);
    switch (o.kind()) {
      case Operand::Kind::Register: EXPECT_EQ(Operand::reg(o.index()), o); break;
      case Operand::Kind::Slot: EXPECT_EQ(Operand::slot(o.index()), o); break;
      case Operand::Kind::Immediate: EXPECT_EQ(Operand::immediate(), o); break;
      case Operand::Kind::Special:
        EXPECT_EQ(Operand::special(static_cast<Special>(o.index())), o);
        break;
      case Operand::Kind::Parameter: EXPECT_EQ(Operand::parameter(o.index()), o); break;
      case Operand::Kind::Reserved: EXPECT_TRUE(code >= 28 && code < 32) << code; break;
    }
  }
}

TEST(EncodingDeathTest, NamesOnlyWhatExists) {
  EXPECT_DEATH(Operand::reg(16), "exists");
  EXPECT_DEATH(Operand::slot(3), "exists");
  EXPECT_DEATH(Operand::parameter(32), "exists");
  EXPECT_DEATH(Guard::slot(3), "exists");
  EXPECT_DEATH(Guard::predicate(4), "exists");
  EXPECT_DEATH(Condition::slot(4), "exists");
}

TEST(Encoding, NopIsWordZero) {
  EXPECT_EQ(encodeSlot({}), 0u);
  EXPECT_EQ(*decodeSlot(0), Slot{});
}

RC_GTEST_PROP(Encoding, DecodesWhatItEncodes, (std::uint64_t seed)) {
  Random random(seed);
  Block block;
  for (Slot& s : block.slots) s = anySlot(random);
  block.header = anyHeader(random);
  for (const Slot& s : block.slots) RC_ASSERT(*decodeSlot(encodeSlot(s)) == s);
  RC_ASSERT(*decodeHeader(encodeHeader(block.header)) == block.header);
  RC_ASSERT(*decodeBlock(encodeBlock(block)) == block);
}

// Every word is either refused or the encoding of what it decodes to; which ones are refused is
// said here a second time.
TEST(Encoding, RefusesExactlyTheUndefinedSlots) {
  Random random(1);
  const auto reserved = [](std::uint64_t code) { return code >= 28 && code < 32; };
  int refused = 0;
  for (int i = 0; i < 400'000; ++i) {
    const std::uint64_t word = random.next() & (i % 2 == 0 ? ~0ull : random.next());
    const bool undefined = (word & 63) > 57 || reserved(word >> 6 & 63) ||
                           reserved(word >> 12 & 63) || reserved(word >> 18 & 63) ||
                           (word >> 39 & 3) == 3;
    const auto slot = decodeSlot(word);
    ASSERT_EQ(slot.has_value(), !undefined) << std::hex << word;
    refused += undefined ? 1 : 0;
    ASSERT_TRUE(!slot || encodeSlot(*slot) == word) << std::hex << word;
  }
  EXPECT_GT(refused, 100'000);
  EXPECT_LT(refused, 300'000);
}

TEST(Encoding, EveryHeaderWordRoundTripsOrIsRefused) {
  for (std::uint32_t word = 0; word < 1u << 23; ++word) {
    const auto header = decodeHeader(word);
    ASSERT_EQ(header.has_value(), (word & 7) < 6) << word;
    ASSERT_TRUE(!header || encodeHeader(*header) == word) << word;
  }
  for (int bit = 23; bit < 32; ++bit) EXPECT_FALSE(decodeHeader(1u << bit)) << bit;
}

TEST(Encoding, ABlockWithOneUndefinedWordIsRefused) {
  const BlockWords good = encodeBlock({});
  ASSERT_TRUE(decodeBlock(good));
  for (int i = 0; i < kBlockWords; ++i) {
    if (i < kBlockWords - 1 && i % kHalves == 1) continue;  // the high half alone: space 3, below
    BlockWords bad = good;
    bad[i] |= 63;
    EXPECT_FALSE(decodeBlock(bad)) << i;
  }
  BlockWords bad = good;
  bad[3] |= 3u << 7;
  EXPECT_FALSE(decodeBlock(bad));
}

}  // namespace
}  // namespace qgpu::isa
