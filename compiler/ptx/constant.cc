#include "compiler/ptx/constant.h"

#include <bit>
#include <cmath>
#include <limits>

namespace qgpu::ptx {
namespace {

using Kind = Immediate::Kind;
constexpr int kMaxDepth = 64;

// How tightly a binary operator binds; 0: not one.
int precedence(TokenKind kind) {
  switch (kind) {
    case TokenKind::OrOr: return 1;
    case TokenKind::AndAnd: return 2;
    case TokenKind::Pipe: return 3;
    case TokenKind::Caret: return 4;
    case TokenKind::Ampersand: return 5;
    case TokenKind::EqualEqual:
    case TokenKind::NotEqual: return 6;
    case TokenKind::Less:
    case TokenKind::Greater:
    case TokenKind::LessEqual:
    case TokenKind::GreaterEqual: return 7;
    case TokenKind::ShiftLeft:
    case TokenKind::ShiftRight: return 8;
    case TokenKind::Plus:
    case TokenKind::Minus: return 9;
    case TokenKind::Star:
    case TokenKind::Slash:
    case TokenKind::Percent: return 10;
    default: return 0;
  }
}

Immediate truth(bool value) { return {value ? 1u : 0u, Kind::Signed}; }

template <typename Number>
bool holds(TokenKind relation, Number a, Number b) {
  switch (relation) {
    case TokenKind::EqualEqual: return a == b;
    case TokenKind::NotEqual: return a != b;
    case TokenKind::Less: return a < b;
    case TokenKind::Greater: return a > b;
    case TokenKind::LessEqual: return a <= b;
    default: return a >= b;
  }
}

std::uint64_t quotient(std::uint64_t a, std::uint64_t b, bool is_signed) {
  if (!is_signed) return a / b;
  const auto divisor = static_cast<std::int64_t>(b);
  if (divisor == -1) return 0 - a;  // also INT64_MIN / -1, which wraps
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(a) / divisor);
}

// Amounts count modulo 64.
std::uint64_t shifted(TokenKind direction, const Immediate& a, std::uint64_t amount) {
  amount &= 63;
  if (direction == TokenKind::ShiftLeft) return a.bits << amount;
  if (a.kind == Kind::Unsigned) return a.bits >> amount;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(a.bits) >> amount);
}

class Parser {
 public:
  Parser(Cursor& cursor, int warp_size) : cursor_(cursor), warp_size_(warp_size) {}

  bool conditional(Immediate& result) {
    if (!binary(1, result)) return false;
    if (!cursor_.at(TokenKind::Question)) return true;
    Immediate yes;
    Immediate no;
    const Position where = cursor_.position();
    cursor_.advance();
    if (!deeper(where) || !conditional(yes) ||
        !cursor_.expect(TokenKind::Colon, "between the values of ?:") || !conditional(no)) {
      return false;
    }
    --depth_;
    if (!isIntegral(result.kind) || !isIntegral(yes.kind) || !isIntegral(no.kind)) {
      return refuseFloat(where);
    }
    result = result.bits != 0 ? yes : no;
    return true;
  }

 private:
  bool binary(int lowest, Immediate& left) {
    if (!unary(left)) return false;
    for (;;) {
      const TokenKind operation = cursor_.token().kind;
      const int binding = precedence(operation);
      if (binding == 0 || binding < lowest) return true;
      const Position where = cursor_.position();
      cursor_.advance();
      Immediate right;
      if (!deeper(where) || !binary(binding + 1, right)) return false;
      --depth_;
      if (!apply(operation, where, left, right)) return false;
    }
  }

  bool unary(Immediate& result) {
    const Token token = cursor_.token();
    switch (token.kind) {
      case TokenKind::Plus:
      case TokenKind::Minus:
      case TokenKind::Bang:
      case TokenKind::Tilde:
        cursor_.advance();
        if (!deeper(token.position) || !unary(result)) return false;
        --depth_;
        return applyUnary(token, result);
      case TokenKind::OpenParen: return parenthesis(result);
      default: return literal(result);
    }
  }

  bool parenthesis(Immediate& result) {
    const Position where = cursor_.position();
    cursor_.advance();
    if (!deeper(where)) return false;
    if (cursor_.at(TokenKind::Word)) {
      const bool is_signed = cursor_.atWord("s64");
      if (!is_signed && !cursor_.atWord("u64"))
        return cursor_.refuseToken("a cast, (.s64) or (.u64)");
      cursor_.advance();
      if (!cursor_.expect(TokenKind::CloseParen, "after a cast") || !unary(result)) return false;
      if (!isIntegral(result.kind)) return refuseFloat(where);
      result.kind = is_signed ? Kind::Signed : Kind::Unsigned;
    } else if (!conditional(result) ||
               !cursor_.expect(TokenKind::CloseParen, "at the end of an expression")) {
      return false;
    }
    --depth_;
    return true;
  }

  bool literal(Immediate& result) {
    const Token& token = cursor_.token();
    if (token.kind == TokenKind::Integer) {
      result = {token.bits, token.is_unsigned ? Kind::Unsigned : Kind::Signed};
    } else if (token.kind == TokenKind::Float32) {
      result = {token.bits, Kind::Float32};
    } else if (token.kind == TokenKind::Float64) {
      result = {token.bits, Kind::Float64};
    } else if (token.kind == TokenKind::Identifier && token.text == "WARP_SZ") {
      result = {static_cast<std::uint64_t>(warp_size_), Kind::Signed};
    } else {
      return cursor_.refuseToken("a number");
    }
    cursor_.advance();
    return true;
  }

  bool applyUnary(const Token& operation, Immediate& a) {
    if (a.kind == Kind::Float32) return refuseFloat(operation.position);
    if (a.kind == Kind::Float64) {
      if (operation.kind == TokenKind::Plus) return true;
      if (operation.kind != TokenKind::Minus) return refuseFloat(operation.position);
      a.bits = std::bit_cast<std::uint64_t>(-std::bit_cast<double>(a.bits));
      return true;
    }
    if (operation.kind == TokenKind::Minus) a.bits = 0 - a.bits;
    if (operation.kind == TokenKind::Tilde) a = {~a.bits, Kind::Unsigned};
    if (operation.kind == TokenKind::Bang) a = truth(a.bits == 0);
    return true;
  }

  bool apply(TokenKind operation, Position where, Immediate& a, const Immediate& b) {
    if (isIntegral(a.kind) && isIntegral(b.kind)) return applyIntegers(operation, where, a, b);
    if (a.kind == Kind::Float64 && b.kind == Kind::Float64) {
      return applyFloats(operation, where, a, b);
    }
    return refuseFloat(where);
  }

  bool applyIntegers(TokenKind operation, Position where, Immediate& a, const Immediate& b) {
    const bool is_signed = a.kind == Kind::Signed && b.kind == Kind::Signed;
    const Kind common = is_signed ? Kind::Signed : Kind::Unsigned;
    switch (operation) {
      case TokenKind::Plus: a = {a.bits + b.bits, common}; return true;
      case TokenKind::Minus: a = {a.bits - b.bits, common}; return true;
      case TokenKind::Star: a = {a.bits * b.bits, common}; return true;
      case TokenKind::Slash:
      case TokenKind::Percent:
        if (b.bits == 0) return cursor_.refuse(where, "division by zero in a constant expression");
        a = operation == TokenKind::Slash ? Immediate{quotient(a.bits, b.bits, is_signed), common}
                                          : Immediate{a.bits % b.bits, Kind::Unsigned};
        return true;
      case TokenKind::ShiftLeft:
      case TokenKind::ShiftRight: a.bits = shifted(operation, a, b.bits); return true;
      case TokenKind::Ampersand: a = {a.bits & b.bits, common}; return true;
      case TokenKind::Pipe: a = {a.bits | b.bits, common}; return true;
      case TokenKind::Caret: a = {a.bits ^ b.bits, common}; return true;
      case TokenKind::AndAnd: a = truth(a.bits != 0 && b.bits != 0); return true;
      case TokenKind::OrOr: a = truth(a.bits != 0 || b.bits != 0); return true;
      default: break;
    }
    a = is_signed ? truth(holds(operation, static_cast<std::int64_t>(a.bits),
                                static_cast<std::int64_t>(b.bits)))
                  : truth(holds(operation, a.bits, b.bits));
    return true;
  }

  bool applyFloats(TokenKind operation, Position where, Immediate& a, const Immediate& b) {
    const auto x = std::bit_cast<double>(a.bits);
    const auto y = std::bit_cast<double>(b.bits);
    double result = 0;
    switch (operation) {
      case TokenKind::Plus: result = x + y; break;
      case TokenKind::Minus: result = x - y; break;
      case TokenKind::Star: result = x * y; break;
      case TokenKind::Slash: result = x / y; break;
      case TokenKind::EqualEqual:
      case TokenKind::NotEqual:
      case TokenKind::Less:
      case TokenKind::Greater:
      case TokenKind::LessEqual:
      case TokenKind::GreaterEqual: a = truth(holds(operation, x, y)); return true;
      default: return refuseFloat(where);
    }
    a.bits = std::bit_cast<std::uint64_t>(result);
    return true;
  }

  bool deeper(Position where) {
    if (++depth_ <= kMaxDepth) return true;
    return cursor_.refuse(where, "a constant expression nests more than 64 levels", "simplify it");
  }

  bool refuseFloat(Position where) {
    return cursor_.refuse(where, "this operator does not take these constants",
                          "integers and floats do not mix, and 0f and 0d numbers stand alone");
  }

  Cursor& cursor_;
  int warp_size_;
  int depth_ = 0;
};

}  // namespace

bool parseConstant(Cursor& cursor, int warp_size, Immediate& result) {
  return Parser(cursor, warp_size).conditional(result);
}

bool startsConstant(const Token& token) {
  switch (token.kind) {
    case TokenKind::Integer:
    case TokenKind::Float32:
    case TokenKind::Float64:
    case TokenKind::OpenParen:
    case TokenKind::Plus:
    case TokenKind::Minus:
    case TokenKind::Bang:
    case TokenKind::Tilde: return true;
    case TokenKind::Identifier: return token.text == "WARP_SZ";
    default: return false;
  }
}

}  // namespace qgpu::ptx
