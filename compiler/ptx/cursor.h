// A position in a stream of tokens, and the first failure met there.
//
// Parsing functions return false once something was refused; the cursor keeps what, and from then
// on stands at the end of the file, so that every loop stops by itself.
//
//   if (!cursor.expect(TokenKind::Comma, "between two operands")) return false;
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compiler/ptx/lexer.h"
#include "interpreter/base/failure.h"

namespace qgpu::ptx {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : lexer_(text) { advance(); }

  const Token& token() const { return token_; }
  Position position() const { return token_.position; }
  const Token& ahead();  // the token after this one
  void advance();

  bool at(TokenKind kind) const { return token_.kind == kind; }
  bool atEnd() const { return at(TokenKind::End); }
  bool atWord(std::string_view word) const { return at(TokenKind::Word) && token_.text == word; }
  // Steps over the token if it is the one asked for.
  bool accept(TokenKind kind);
  bool acceptWord(std::string_view word);
  // Likewise, and refuses otherwise. `where` completes "expected `,` ...".
  bool expect(TokenKind kind, std::string_view where);
  // A name, an unsigned integer of at most `limit`, a string.
  bool expectName(std::string_view what, std::string_view& name);
  bool expectInteger(std::string_view what, std::uint64_t limit, std::uint64_t& value);
  bool expectString(std::string_view what, std::string_view& text);

  // Records the first failure; always false.
  bool refuse(Position where, std::string message, std::string hint = {});
  // "expected WHAT, not `TOKEN`" at the current token.
  bool refuseToken(std::string_view what);
  bool failed() const { return failed_; }
  Position failurePosition() const { return failure_position_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }

 private:
  Lexer lexer_;
  Token token_;
  std::optional<Token> ahead_;
  bool failed_ = false;
  Position failure_position_;
  std::string message_;
  std::string hint_;
};

// Text of a token for a message, shortened.
std::string quote(std::string_view text);
std::string quoteWord(std::string_view text);  // with its dot

}  // namespace qgpu::ptx
