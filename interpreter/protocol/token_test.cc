#include "interpreter/protocol/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace qgpu::protocol {
namespace {

TEST(Token, TheVocabularyIsCounted) {
  const auto count = [](TokenKind kind) { return tokenCount(kind); };
  EXPECT_EQ(count(TokenKind::Exec), 32 * 8 * 15);
  EXPECT_EQ(count(TokenKind::Val), 15 * 5 * 1024);
  EXPECT_EQ(count(TokenKind::Pred), 4 * 16);
  EXPECT_EQ(count(TokenKind::Mem), 192 * 512);
  EXPECT_EQ(count(TokenKind::Ext1), 8192);
  EXPECT_EQ(count(TokenKind::Ext2), 8192);
  EXPECT_EQ(count(TokenKind::Cta), 256 * 32);
  EXPECT_EQ(count(TokenKind::Grid), 256);
  EXPECT_EQ(count(TokenKind::Code), 32 * 5 * 2 * 64);
  EXPECT_EQ(count(TokenKind::Param), 32 * 512);
  EXPECT_EQ(count(TokenKind::Halt), 1);
  EXPECT_EQ(count(TokenKind::Trap), 1);
  EXPECT_EQ(vocabulary(), 240'706);
}

TEST(Token, IdsAndTextsRoundTripForTheWholeVocabulary) {
  TokenKind kind = TokenKind::Exec;
  int in_kind = 0;
  for (int id = 0; id < vocabulary(); ++id) {
    const auto token = Token::fromId(id);
    ASSERT_TRUE(token) << id;
    ASSERT_TRUE(token->valid());
    ASSERT_EQ(token->id(), id);
    in_kind = token->kind == kind ? in_kind + 1 : 1;
    kind = token->kind;
    ASSERT_LE(in_kind, tokenCount(kind));
    ASSERT_EQ(id, firstId(kind) + in_kind - 1);
    const auto parsed = Token::parse(token->text(), {});
    ASSERT_TRUE(parsed) << token->text();
    ASSERT_EQ(*parsed, *token) << token->text();
  }
  EXPECT_FALSE(Token::fromId(-1));
  EXPECT_FALSE(Token::fromId(vocabulary()));
  EXPECT_FALSE(Token::fromId(2'000'000'000));
}

TEST(Token, Texts) {
  EXPECT_EQ(Token::exec(31, 7, 0b0010).text(), "EXEC 31 7 0010");
  EXPECT_EQ(Token::val(15, 3, 511).text(), "VAL 15 3 511");
  EXPECT_EQ(Token::val(1, kAllLanes, 512).text(), "VAL 1 U -512");
  EXPECT_EQ(Token::pred(3, 0).text(), "PRED 3 0000");
  EXPECT_EQ(Token::mem(191, 511).text(), "MEM 191 -1");
  EXPECT_EQ(Token::ext(1, 8191).text(), "EXT1 8191");
  EXPECT_EQ(Token::ext(2, 0).text(), "EXT2 0");
  EXPECT_EQ(Token::cta(255, 32).text(), "CTA 255 32");
  EXPECT_EQ(Token::grid(256).text(), "GRID 256");
  EXPECT_EQ(Token::code(3, 4, 0, 63).text(), "CODE 3 4 0 63");
  EXPECT_EQ(Token::param(31, 256).text(), "PARAM 31 -256");
  EXPECT_EQ(Token::halt().text(), "HALT");
  EXPECT_EQ(Token::trap().text(), "TRAP");
}

TEST(Token, OtherTextsAreRefused) {
  const std::array<std::pair<const char*, const char*>, 27> bad = {{
      {"", "no token kind"},
      {"exec 0 0 1111", "no token kind"},
      {"HALT 1", "text after"},
      {"HALT\n", "no token kind"},
      {"EXEC", "block from 0 to 31"},
      {"EXEC 32 0 1111", "block from 0 to 31"},
      {"EXEC -1 0 1111", "block from 0 to 31"},
      {"EXEC 01 0 1111", "block from 0 to 31"},
      {"EXEC +1 0 1111", "block from 0 to 31"},
      {"EXEC 0x1 0 1111", "block from 0 to 31"},
      {"EXEC 1 8 1111", "warp from 0 to 7"},
      {"EXEC 1 0 0000", "mask from 0001 to 1111"},
      {"EXEC 1 0 111", "mask from 0001 to 1111"},
      {"EXEC 1 0 11111", "mask from 0001 to 1111"},
      {"EXEC 1 0 0121", "mask from 0001 to 1111"},
      {"EXEC 1 0 1111 0", "text after"},
      {"VAL 0 U 1", "register from 1 to 15"},
      {"VAL 1 4 1", "lane from 0 to U"},
      {"VAL 1 u 1", "lane from 0 to U"},
      {"VAL 1 U 512", "low from -512 to 511"},
      {"VAL 1 U -513", "low from -512 to 511"},
      {"VAL 1 U -0", "low from -512 to 511"},
      {"MEM 0 99999999999999999999", "low from -256 to 255"},
      {"EXT1 8192", "bits from 0 to 8191"},
      {"CTA 0 0", "ntid from 1 to 32"},
      {"GRID 0", "nctaid from 1 to 256"},
      {"CODE 0 5 0 0", "row from 0 to 4"},
  }};
  for (const auto& [text, message] : bad) {
    const auto token = Token::parse(text, {"t", 3, 1});
    ASSERT_FALSE(token) << text;
    EXPECT_THAT(token.error().message, ::testing::HasSubstr(message)) << text;
    EXPECT_EQ(token.error().location, (Location{"t", 3, 1}));
  }
  EXPECT_EQ(*Token::parse("  EXEC\t1  0 1111 \r", {}), Token::exec(1, 0, 15));
}

RC_GTEST_PROP(Token, AnyTextIsRefusedOrItsToken, (const std::string& text)) {
  const auto token = Token::parse(text, {});
  if (token) RC_ASSERT(Token::parse(token->text(), {}) == *token);
}

TEST(Token, FieldsOutOfRangeAreInvalid) {
  EXPECT_FALSE((Token{TokenKind::Exec, {32, 0, 1}}.valid()));
  EXPECT_FALSE((Token{TokenKind::Exec, {0, 0, 0}}.valid()));
  EXPECT_FALSE((Token{TokenKind::Mem, {192, 0}}.valid()));
  EXPECT_FALSE((Token{TokenKind::Halt, {1}}.valid()));
  EXPECT_TRUE((Token{TokenKind::Exec, {31, 7, 15}}.valid()));
}

TEST(TokenDeathTest, NamesOnlyWhatExists) {
  EXPECT_DEATH(Token::exec(32, 0, 1), "range");
  EXPECT_DEATH(Token::exec(0, 0, 0), "range");
  EXPECT_DEATH(Token::val(0, 0, 0), "range");
  EXPECT_DEATH(Token::ext(3, 0), "parts");
}

// ---- Words in parts. ----

constexpr std::array kLows = {kValBits, kMemBits, kCodeBits};

// A receiver as tokens feed it: the word after each part.
std::uint32_t received(std::uint32_t word, int low, int parts) {
  std::uint32_t have = 0;
  for (int part = 0; part < parts; ++part) have = extend(have, partOf(word, low, part), low, part);
  return have;
}

TEST(Words, PartsByHand) {
  EXPECT_EQ(partOf(0x12345678, kValBits, 0), 0x278u);  // ..0110'0111'1000 ends in 10 0111 1000
  EXPECT_EQ(partOf(0x12345678, kValBits, 1), 0xd15u);  // 0x12345678 >> 10 = 0x48d15
  EXPECT_EQ(partOf(0x12345678, kValBits, 2), 0x24u);   // 0x12345678 >> 23
  EXPECT_EQ(partOf(0x12345678, kMemBits, 2), 0x48u);   // 0x12345678 >> 22
  EXPECT_EQ(partOf(0xffffffff, kMemBits, 2), 0x3ffu);  // ten bits are left
  EXPECT_EQ(partOf(0xffffffff, kCodeBits, 2), 0x1fffu);
  EXPECT_EQ(partBits(kValBits, 1), 13);
  EXPECT_EQ(partBits(kValBits, 2), 9);
  EXPECT_EQ(partBits(kMemBits, 2), 10);
  EXPECT_EQ(partBits(kCodeBits, 2), 13);
}

TEST(Words, AsManyPartsAsTheValueNeeds) {
  for (const int low : kLows) {
    for (const int bits : {low, low + kExtBits}) {
      if (bits >= 32) continue;
      const int fits = bits == low ? 1 : 2;
      const std::uint32_t most = (1u << (bits - 1)) - 1, least = ~most;
      for (const std::uint32_t inside : {most, least, most - 1, least + 1})
        EXPECT_LE(partsNeeded(inside, low), fits) << std::hex << inside;
      EXPECT_EQ(partsNeeded(most, low), fits);
      EXPECT_EQ(partsNeeded(least, low), fits);
      EXPECT_EQ(partsNeeded(most + 1, low), fits + 1);
      EXPECT_EQ(partsNeeded(least - 1, low), fits + 1);
    }
    EXPECT_EQ(partsNeeded(0, low), 1);
    EXPECT_EQ(partsNeeded(~0u, low), 1);
    EXPECT_EQ(partsNeeded(0x7fffffff, low), 3);
    EXPECT_EQ(partsNeeded(0x80000000, low), 3);
  }
}

// Around every power of two, of both signs: the parts that are needed suffice, one fewer does not,
// and further ones do no harm.
TEST(Words, ReceiversRebuildThem) {
  for (const int low : kLows)
    for (int bit = 0; bit < 32; ++bit)
      for (std::uint32_t near = 0; near < 5; ++near)
        for (const bool negative : {false, true}) {
          const std::uint32_t magnitude = (1u << bit) + near - 2;
          const std::uint32_t word = negative ? 0u - magnitude : magnitude;
          const int parts = partsNeeded(word, low);
          for (int n = parts; n <= 3; ++n)
            ASSERT_EQ(received(word, low, n), word) << std::hex << word;
          ASSERT_TRUE(parts == 1 || received(word, low, parts - 1) != word) << std::hex << word;
        }
}

RC_GTEST_PROP(Words, PrefixesAreSignExtended, (std::uint32_t word)) {
  for (const int low : kLows) {
    RC_ASSERT(received(word, low, 3) == word);
    for (int parts = 1; parts <= 2; ++parts) {
      const int bits = low + kExtBits * (parts - 1);
      const std::int64_t modulus = std::int64_t{1} << bits;
      std::int64_t value = word % modulus;
      if (value >= modulus / 2) value -= modulus;
      RC_ASSERT(received(word, low, parts) == static_cast<std::uint32_t>(value));
    }
  }
}

}  // namespace
}  // namespace qgpu::protocol
