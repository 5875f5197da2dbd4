#include "compiler/ptx/lexer.h"

#include <bit>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qgpu::ptx {
namespace {

using enum TokenKind;

std::vector<TokenKind> kinds(std::string_view text) {
  std::vector<TokenKind> result;
  Lexer lexer(text);
  for (Token token = lexer.next(); token.kind != End; token = lexer.next())
    result.push_back(token.kind);
  return result;
}

Token only(std::string_view text) {
  Lexer lexer(text);
  const Token token = lexer.next();
  EXPECT_EQ(lexer.next().kind, End) << text;
  return token;
}

TEST(Lexer, SplitsAnInstruction) {
  EXPECT_THAT(
      kinds("@!%p1 ld.global.u32 %r1, [%rd2+-4];"),
      testing::ElementsAre(At, Bang, Identifier, Identifier, Word, Word, Identifier, Comma,
                           OpenBracket, Identifier, Plus, Minus, Integer, CloseBracket, Semicolon));
}

TEST(Lexer, TakesTheLongestOperator) {
  EXPECT_THAT(
      kinds("<< <= < >> >= > == = != ! && & || |"),
      testing::ElementsAre(ShiftLeft, LessEqual, Less, ShiftRight, GreaterEqual, Greater,
                           EqualEqual, Equals, NotEqual, Bang, AndAnd, Ampersand, OrOr, Pipe));
}

TEST(Lexer, CommentsMayBeEmpty) {
  EXPECT_THAT(kinds("/**/ a /***/ + /* * / */ b //"),
              testing::ElementsAre(Identifier, Plus, Identifier));
}

TEST(Lexer, NamesMayStartWithSigns) {
  for (const char* name : {"a", "A9_$", "_x", "%r1", "$L__BB0_1", "%%"}) {
    const bool is_name = std::string_view(name) != "%%";
    EXPECT_EQ(Lexer(name).next().kind, is_name ? Identifier : Percent) << name;
  }
  EXPECT_EQ(only("_").kind, Underscore);
}

TEST(Lexer, WordsMayBeQualified) {
  EXPECT_EQ(only(".L2::cache_hint").text, "L2::cache_hint");
  EXPECT_EQ(only(".shared::cta").text, "shared::cta");
  EXPECT_THAT(kinds(".a::"), testing::ElementsAre(Word, Colon, Colon));
  EXPECT_THAT(kinds(".a:b"), testing::ElementsAre(Word, Colon, Identifier));
  EXPECT_THAT(kinds(".a:bc"), testing::ElementsAre(Word, Colon, Identifier));
  EXPECT_THAT(kinds(".a::b;"), testing::ElementsAre(Word, Semicolon));
}

TEST(Lexer, ReadsIntegersOfEveryBase) {
  struct Case {
    std::string_view text;
    std::uint64_t bits;
    bool is_unsigned;
  };
  for (const Case& c :
       {Case{"0", 0, false}, Case{"42", 42, false}, Case{"42U", 42, true}, Case{"017", 15, false},
        Case{"0x1fF", 511, false}, Case{"0XFFU", 255, true}, Case{"0b101", 5, false},
        Case{"0B1U", 1, true}, Case{"9223372036854775807", 0x7FFFFFFFFFFFFFFF, false},
        Case{"9223372036854775808", 0x8000000000000000, true},
        Case{"0xFFFFFFFFFFFFFFFF", ~std::uint64_t{0}, true},
        Case{"18446744073709551615", ~std::uint64_t{0}, true}}) {
    const Token token = only(c.text);
    EXPECT_EQ(token.kind, Integer) << c.text;
    EXPECT_EQ(token.bits, c.bits) << c.text;
    EXPECT_EQ(token.is_unsigned, c.is_unsigned) << c.text;
  }
}

TEST(Lexer, ReadsFloats) {
  EXPECT_EQ(only("0f3F800000").bits, 0x3F800000u);
  EXPECT_EQ(only("0F3f800000").kind, Float32);
  EXPECT_EQ(only("0d3FF0000000000000").bits, 0x3FF0000000000000u);
  for (const auto& [text, value] : {std::pair{"1.5", 1.5},
                                    {"5.", 5.0},
                                    {".25", 0.25},
                                    {"1e3", 1000.0},
                                    {"1e+2", 100.0},
                                    {"2.5E-1", 0.25},
                                    {"0.0", 0.0}}) {
    EXPECT_EQ(only(text).kind, Float64) << text;
    EXPECT_EQ(std::bit_cast<double>(only(text).bits), value) << text;
  }
}

TEST(Lexer, RefusesMalformedNumbers) {
  for (const char* text :
       {"0x", "0b", "0b2", "08", "019", "5u", "5L", "0xG", "0f123", "0f123456789", "0d123",
        "18446744073709551616", "0x10000000000000000", "1e999", "5.f"}) {
    Lexer lexer(text);
    Token token = lexer.next();
    if (token.kind != Error) token = lexer.next();
    EXPECT_EQ(token.kind, Error) << text;
    EXPECT_FALSE(token.text.empty()) << text;
  }
}

TEST(Lexer, SkipsCommentsAndCountsLines) {
  Lexer lexer("// one\n/* two\n three */ a\r\n\tb");
  Token token = lexer.next();
  EXPECT_EQ(token.text, "a");
  EXPECT_EQ(token.position, (Position{3, 11}));
  token = lexer.next();
  EXPECT_EQ(token.text, "b");
  EXPECT_EQ(token.position, (Position{4, 2}));
}

TEST(Lexer, RefusesWhatIsNotPtx) {
  struct Case {
    std::string_view text;
    Position position;
  };
  for (const Case& c :
       {Case{"a\n  /* open", {2, 3}}, Case{"\"open", {1, 1}}, Case{"\"two\nlines\"", {1, 5}},
        Case{"#define x", {1, 1}}, Case{"a \x01", {1, 3}}, Case{"\xC3\xA9", {1, 1}},
        Case{"// caf\xC3\xA9", {1, 7}}, Case{"/* caf\xC3\xA9 */", {1, 7}},
        Case{"\"caf\xC3\xA9\"", {1, 5}}, Case{"a . b", {1, 3}}, Case{"a $ b", {1, 3}},
        Case{"`", {1, 1}}, Case{"\\", {1, 1}}}) {
    Lexer lexer(c.text);
    Token token = lexer.next();
    if (token.kind == Identifier) token = lexer.next();
    EXPECT_EQ(token.kind, Error) << c.text;
    EXPECT_EQ(token.position, c.position) << c.text;
    EXPECT_EQ(lexer.next().kind, End) << c.text;
  }
}

TEST(Lexer, StringsHaveNoEscapes) {
  EXPECT_EQ(only(R"("a\n\")").text, R"(a\n\)");
  EXPECT_EQ(only("\"\"").text, "");
}

}  // namespace
}  // namespace qgpu::ptx
