#include "compiler/ptx/cursor.h"

#include <fmt/format.h>

namespace qgpu::ptx {

std::string quote(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  if (text.size() <= kLongest) return fmt::format("`{}`", text);
  return fmt::format("`{}...`", text.substr(0, kLongest));
}

std::string quoteWord(std::string_view text) { return quote(fmt::format(".{}", text)); }

const Token& Cursor::ahead() {
  if (!ahead_) ahead_ = lexer_.next();
  return *ahead_;
}

void Cursor::advance() {
  if (failed_) return;
  token_ = ahead_ ? *ahead_ : lexer_.next();
  ahead_.reset();
  if (token_.kind == TokenKind::Error) {
    refuse(token_.position, std::string(token_.text), std::string(token_.hint));
  }
}

bool Cursor::accept(TokenKind kind) {
  if (!at(kind)) return false;
  advance();
  return true;
}

bool Cursor::acceptWord(std::string_view word) {
  if (!atWord(word)) return false;
  advance();
  return true;
}

bool Cursor::expect(TokenKind kind, std::string_view where) {
  if (accept(kind)) return true;
  return refuseToken(fmt::format("{} {}", describe(kind), where));
}

bool Cursor::expectName(std::string_view what, std::string_view& name) {
  if (!at(TokenKind::Identifier)) return refuseToken(what);
  name = token_.text;
  advance();
  return true;
}

bool Cursor::expectInteger(std::string_view what, std::uint64_t limit, std::uint64_t& value) {
  if (!at(TokenKind::Integer)) return refuseToken(what);
  if (token_.bits > limit) {
    return refuse(position(), fmt::format("{} is too large for {}", quote(token_.text), what),
                  fmt::format("the largest is {}", limit));
  }
  value = token_.bits;
  advance();
  return true;
}

bool Cursor::expectString(std::string_view what, std::string_view& text) {
  if (!at(TokenKind::String)) return refuseToken(what);
  text = token_.text;
  advance();
  return true;
}

bool Cursor::refuse(Position where, std::string message, std::string hint) {
  if (failed_) return false;
  failed_ = true;
  failure_position_ = where;
  message_ = std::move(message);
  hint_ = std::move(hint);
  token_ = {.kind = TokenKind::End, .position = where};
  ahead_.reset();
  return false;
}

bool Cursor::refuseToken(std::string_view what) {
  if (failed_) return false;
  std::string found;
  switch (token_.kind) {
    case TokenKind::End: found = "the end of the file"; break;
    case TokenKind::Word: found = quoteWord(token_.text); break;
    case TokenKind::String: found = "a string"; break;
    default: found = quote(token_.text); break;
  }
  return refuse(position(), fmt::format("expected {}, not {}", what, found));
}

}  // namespace qgpu::ptx
