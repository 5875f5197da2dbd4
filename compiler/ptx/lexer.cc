#include "compiler/ptx/lexer.h"

#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <utility>

namespace qgpu::ptx {
namespace {

enum CharClass : std::uint8_t { kFollow = 1, kStart = 2, kDigit = 4, kHex = 8, kBlank = 16 };

constexpr std::array<std::uint8_t, 256> makeClasses() {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 32] = kFollow | kStart;
  for (int c = '0'; c <= '9'; ++c) classes[c] = kFollow | kDigit | kHex;
  for (int c = 'a'; c <= 'f'; ++c) classes[c] |= kHex, classes[c - 32] |= kHex;
  classes['_'] = classes['$'] = kFollow;
  for (const char c : {' ', '\t', '\r', '\n', '\v', '\f'}) classes[c] = kBlank;
  return classes;
}
constexpr auto kClasses = makeClasses();

bool is(char c, CharClass wanted) {
  return (kClasses[static_cast<unsigned char>(c)] & wanted) != 0;
}

int hexDigit(char c) {
  if (c <= '9') return c - '0';
  return (c | 32) - 'a' + 10;
}

struct Punctuation {
  TokenKind kind = TokenKind::Error;
  std::size_t length = 1;
};

Punctuation doubled(char c, char next) {
  using enum TokenKind;
  if (c == '<')
    return next == '<'   ? Punctuation{ShiftLeft, 2}
           : next == '=' ? Punctuation{LessEqual, 2}
                         : Punctuation{Less, 1};
  if (c == '>')
    return next == '>'   ? Punctuation{ShiftRight, 2}
           : next == '=' ? Punctuation{GreaterEqual, 2}
                         : Punctuation{Greater, 1};
  if (c == '=') return next == '=' ? Punctuation{EqualEqual, 2} : Punctuation{Equals, 1};
  if (c == '!') return next == '=' ? Punctuation{NotEqual, 2} : Punctuation{Bang, 1};
  if (c == '&') return next == '&' ? Punctuation{AndAnd, 2} : Punctuation{Ampersand, 1};
  return next == '|' ? Punctuation{OrOr, 2} : Punctuation{Pipe, 1};
}

constexpr std::pair<char, TokenKind> kSingle[] = {
    {',', TokenKind::Comma},       {';', TokenKind::Semicolon},    {':', TokenKind::Colon},
    {'[', TokenKind::OpenBracket}, {']', TokenKind::CloseBracket}, {'{', TokenKind::OpenBrace},
    {'}', TokenKind::CloseBrace},  {'(', TokenKind::OpenParen},    {')', TokenKind::CloseParen},
    {'@', TokenKind::At},          {'+', TokenKind::Plus},         {'-', TokenKind::Minus},
    {'*', TokenKind::Star},        {'/', TokenKind::Slash},        {'%', TokenKind::Percent},
    {'^', TokenKind::Caret},       {'~', TokenKind::Tilde},        {'?', TokenKind::Question},
};

Punctuation punctuationOf(char c, char next) {
  for (const auto& [character, kind] : kSingle) {
    if (character == c) return {kind};
  }
  return std::string_view("<>=!&|").find(c) == std::string_view::npos ? Punctuation{}
                                                                      : doubled(c, next);
}

}  // namespace

std::string_view describe(TokenKind kind) {
  // In the order of TokenKind.
  static constexpr std::string_view kNames[] = {"the end of the file",
                                                "an error",
                                                "a name",
                                                "`_`",
                                                "a word with a dot",
                                                "an integer",
                                                "a float",
                                                "a float",
                                                "a string",
                                                "`,`",
                                                "`;`",
                                                "`:`",
                                                "`[`",
                                                "`]`",
                                                "`{`",
                                                "`}`",
                                                "`(`",
                                                "`)`",
                                                "`|`",
                                                "`@`",
                                                "`!`",
                                                "`+`",
                                                "`-`",
                                                "`*`",
                                                "`/`",
                                                "`%`",
                                                "`&`",
                                                "`^`",
                                                "`~`",
                                                "`<`",
                                                "`>`",
                                                "`=`",
                                                "`?`",
                                                "`<<`",
                                                "`>>`",
                                                "`<=`",
                                                "`>=`",
                                                "`==`",
                                                "`!=`",
                                                "`&&`",
                                                "`||`"};
  return kNames[static_cast<std::size_t>(kind)];
}

Position Lexer::here() const { return {line_, static_cast<int>(at_ - line_start_) + 1}; }

Token Lexer::error(std::string_view complaint, std::string_view hint) {
  Token token{.kind = TokenKind::Error, .position = here(), .text = complaint, .hint = hint};
  at_ = text_.size();
  return token;
}

bool Lexer::skipBlanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (is(c, kBlank)) {
      ++at_;
      if (c == '\n') ++line_, line_start_ = at_;
    } else if (c == '/' && peek(1) == '/') {
      while (at_ < text_.size() && text_[at_] != '\n') {
        if (static_cast<signed char>(text_[at_]) < 0) return true;  // reported as a character
        ++at_;
      }
    } else if (c == '/' && peek(1) == '*') {
      const Position start = here();
      at_ += 2;
      while (at_ < text_.size() && !(text_[at_] == '*' && peek(1) == '/')) {
        if (static_cast<signed char>(text_[at_]) < 0) return true;
        if (text_[at_++] == '\n') ++line_, line_start_ = at_;
      }
      if (at_ >= text_.size()) {
        error_ = error("a comment is not closed", "end it with */");
        error_.position = start;
        return false;
      }
      at_ += 2;
    } else {
      return true;
    }
  }
  return true;
}

Token Lexer::take(TokenKind kind, std::size_t length) {
  Token token{.kind = kind, .position = here(), .text = text_.substr(at_, length)};
  at_ += length;
  return token;
}

Token Lexer::next() {
  if (!skipBlanks()) return error_;
  if (at_ >= text_.size()) return {.kind = TokenKind::End, .position = here()};
  const char c = peek();
  if (is(c, kStart) || ((c == '_' || c == '$' || c == '%') && is(peek(1), kFollow))) {
    std::size_t length = 1;
    while (is(peek(length), kFollow)) ++length;
    return take(TokenKind::Identifier, length);
  }
  if (c == '_') return take(TokenKind::Underscore, 1);
  if (c == '.') return is(peek(1), kDigit) ? decimal() : word();
  if (is(c, kDigit)) return number();
  if (c == '"') return string();
  return punctuation();
}

Token Lexer::punctuation() {
  const char c = peek();
  const Punctuation found = punctuationOf(c, peek(1));
  if (found.kind != TokenKind::Error) return take(found.kind, found.length);
  if (c == '#')
    return error("`#`: PTX has no preprocessor", "preprocess the file, or remove the line");
  if (static_cast<signed char>(c) < 0) {
    return error("a character that is not ASCII",
                 "PTX is plain ASCII; in a string write it as \\ooo");
  }
  return error("a character that PTX does not use", "remove it");
}

// .name, where the name may be qualified: .shared::cta
Token Lexer::word() {
  std::size_t length = 1;
  while (is(peek(length), kFollow) ||
         (peek(length) == ':' && peek(length + 1) == ':' && is(peek(length + 2), kFollow))) {
    length += peek(length) == ':' ? 2 : 1;
  }
  if (length == 1) return error("a dot without a name after it", "write .name, without blanks");
  Token token = take(TokenKind::Word, length);
  token.text.remove_prefix(1);
  return token;
}

Token Lexer::string() {
  std::size_t length = 1;
  while (at_ + length < text_.size() && peek(length) != '"') {
    const auto c = static_cast<unsigned char>(peek(length));
    if (c >= 0x80 || (c < 0x20 && c != '\t')) {
      at_ += length;
      return c == '\n' || c == '\r'
                 ? error("a string is not closed on its line", "end it with \"")
                 : error("a string holds a character that is not printable ASCII",
                         "write it as \\ooo");
    }
    ++length;
  }
  if (at_ + length >= text_.size()) return error("a string is not closed", "end it with \"");
  Token token = take(TokenKind::String, length + 1);
  token.text = token.text.substr(1, length - 1);
  return token;
}

Token Lexer::number() {
  const char c = peek();
  const char next = static_cast<char>(peek(1) | 32);
  if (c == '0' && next == 'f') return hexFloat(TokenKind::Float32, 8);
  if (c == '0' && next == 'd') return hexFloat(TokenKind::Float64, 16);
  if (c == '0' && next == 'x') return radixInteger(2, 16);
  if (c == '0' && next == 'b') return radixInteger(2, 2);
  return decimal();
}

Token Lexer::finishNumber(Token token) {
  if (is(peek(), kFollow)) {
    return error("this does not belong to the number before it",
                 "numbers are decimal, 0x hexadecimal, 0 octal or 0b binary, with U for unsigned");
  }
  return token;
}

Token Lexer::radixInteger(std::size_t digits_at, int radix) {
  std::size_t length = digits_at;
  std::uint64_t value = 0;
  bool overflow = false;
  for (; is(peek(length), kHex) && hexDigit(peek(length)) < radix; ++length) {
    overflow = overflow ||
               value > std::numeric_limits<std::uint64_t>::max() / static_cast<unsigned>(radix);
    const std::uint64_t shifted = value * static_cast<unsigned>(radix);
    value = shifted + static_cast<unsigned>(hexDigit(peek(length)));
    overflow = overflow || value < shifted;
  }
  if (length == digits_at) return error("a number without digits", "write digits after its prefix");
  if (overflow) return error("an integer over 64 bits", "integers go up to 0xFFFFFFFFFFFFFFFF");
  const bool suffix = peek(length) == 'U';
  Token token = take(TokenKind::Integer, length + (suffix ? 1 : 0));
  token.bits = value;
  token.is_unsigned =
      suffix || value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return finishNumber(token);
}

Token Lexer::hexFloat(TokenKind kind, std::size_t digits) {
  std::uint64_t value = 0;
  std::size_t length = 2;
  for (; is(peek(length), kHex); ++length)
    value = value << 4 | static_cast<unsigned>(hexDigit(peek(length)));
  if (length != digits + 2) {
    return kind == TokenKind::Float32
               ? error("a 0f number needs exactly 8 hexadecimal digits", "1.0 is 0f3F800000")
               : error("a 0d number needs exactly 16 hexadecimal digits",
                       "1.0 is 0d3FF0000000000000");
  }
  Token token = take(kind, length);
  token.bits = value;
  return finishNumber(token);
}

// A decimal or octal integer, or a decimal float such as 1.5, .5, 5. or 1e-3.
Token Lexer::decimal() {
  std::size_t length = 0;
  while (is(peek(length), kDigit)) ++length;
  const std::size_t integer_length = length;
  if (peek(length) == '.') {
    do ++length;
    while (is(peek(length), kDigit));
  }
  if ((peek(length) | 32) == 'e') {
    const std::size_t sign = peek(length + 1) == '+' || peek(length + 1) == '-' ? 1 : 0;
    if (is(peek(length + 1 + sign), kDigit)) {
      length += 1 + sign;
      while (is(peek(length), kDigit)) ++length;
    }
  }
  if (length == integer_length) {
    return peek() == '0' && integer_length > 1 ? radixInteger(0, 8) : radixInteger(0, 10);
  }
  double value = 0;
  const char* first = text_.data() + at_;
  if (std::from_chars(first, first + length, value).ec != std::errc{}) {
    return error("a float out of range", "a double goes up to 1.8e308");
  }
  Token token = take(TokenKind::Float64, length);
  token.bits = std::bit_cast<std::uint64_t>(value);
  return finishNumber(token);
}

}  // namespace qgpu::ptx
