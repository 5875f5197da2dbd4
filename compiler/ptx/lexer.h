// PTX text to tokens. Tokens point into the text, which must outlive them.
//
//   Lexer lexer("add.u32 %r1, %r2, 0x10;");
//   lexer.next();  // Identifier "add", then Word "u32", Identifier "%r1", Comma ...
//
// White space and comments separate tokens and are dropped. Anything that cannot start a token
// gives one Error token, whose text says what is wrong; after it the lexer answers End.
#pragma once

#include <cstdint>
#include <string_view>

#include "compiler/ptx/instruction.h"

namespace qgpu::ptx {

// clang-format off
enum class TokenKind : std::uint8_t {
  End, Error,
  Identifier,  // also %names and $names
  Underscore,
  Word,        // .name: a directive, modifier, type or component; the text has no dot
  Integer,     // bits, is_unsigned
  Float32,     // 0f3F800000
  Float64,     // 0d... or decimal
  String,      // the text has no quotes
  Comma, Semicolon, Colon, OpenBracket, CloseBracket, OpenBrace, CloseBrace, OpenParen, CloseParen,
  Pipe, At, Bang, Plus, Minus, Star, Slash, Percent, Ampersand, Caret, Tilde, Less, Greater,
  Equals, Question,
  ShiftLeft, ShiftRight, LessEqual, GreaterEqual, EqualEqual, NotEqual, AndAnd, OrOr,
};
// clang-format on
// What a person calls it: "a comma", "a name" ...
std::string_view describe(TokenKind kind);

struct Token {
  TokenKind kind = TokenKind::End;
  bool is_unsigned = false;  // Integer with a U, or too large for a signed one
  Position position;
  std::string_view text{};  // what was written; for Error the complaint
  std::string_view hint{};  // Error: what to do
  std::uint64_t bits = 0;   // value of a number
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next();

 private:
  bool skipBlanks();  // false: an error, in error_
  Token take(TokenKind kind, std::size_t length);
  Token punctuation();
  Token word();
  Token string();
  Token number();
  Token radixInteger(std::size_t digits_at, int radix);
  Token hexFloat(TokenKind kind, std::size_t digits);
  Token decimal();
  Token finishNumber(Token token);
  Token error(std::string_view complaint, std::string_view hint);
  Position here() const;
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
  Token error_;
};

}  // namespace qgpu::ptx
