#include "tools/chat/grammar/expression_recogniser.h"

#include <limits>
#include <string_view>

#include "tools/chat/expression/expression.h"

namespace qgpu::chat {
namespace {

constexpr std::int64_t kLow = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kHigh = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kLongestEnd = 512;  // longer than any shortest end: rows, then parentheses

}  // namespace

bool ExpressionRecogniser::accept(char byte) {
  ExpressionRecogniser next = *this;
  if (!next.step(byte)) return false;
  ++next.bytes_;
  if (next.bytes_ + kLongestEnd > kExpressionLimits.bytes) {
    std::string end;
    next.close(end);
    if (next.bytes_ + end.size() > kExpressionLimits.bytes) return false;
  }
  *this = next;
  return true;
}

bool ExpressionRecogniser::complete() const {
  const bool behind =
      expect_ == Expect::Operator || (expect_ == Expect::Digits && number_.complete());
  return behind && depth_ == 0;
}

bool ExpressionRecogniser::step(char byte) {
  switch (expect_) {
    case Expect::Operand:
    case Expect::Negated: return operand(byte);
    case Expect::EqualsOrOperand:
      if (byte == '=') return expect_ = Expect::SpaceOrOperand, true;
      [[fallthrough]];
    case Expect::SpaceOrOperand:
      if (byte == ' ') return expect_ = Expect::Operand, true;
      return operand(byte);
    case Expect::Equals: return expect_ = Expect::SpaceOrOperand, byte == '=';
    case Expect::Digits: return number_.accept(byte) || (number_.complete() && behindOperand(byte));
    case Expect::Letters: return letter(byte);
    case Expect::List:
      if (!list_.accept(byte)) return false;
      if (list_.complete()) expect_ = Expect::Operator;
      return true;
    case Expect::Operator: return behindOperand(byte);
    default: return binary(byte);
  }
}

bool ExpressionRecogniser::operand(char byte) {
  const bool negated = expect_ == Expect::Negated;
  if (byte == '-') return expect_ = Expect::Negated, !negated;
  if (byte >= '0' && byte <= '9') {
    number_ = IntegerRecogniser(negated ? kLow : 0, kHigh);
    if (negated) number_.accept('-');
    expect_ = Expect::Digits;
    return number_.accept(byte);
  }
  if (negated && !countOperation()) return false;
  if (byte == '[') {
    list_ = NumberListRecogniser({kLow, kHigh, kExpressionLimits.elements, true});
    expect_ = Expect::List;
    return true;
  }
  if (byte == '(') return open(-1);
  if (depth_ == kFrames || operations_ == kExpressionLimits.operations) return false;
  first_ = letters_ = 0;
  last_ = static_cast<std::uint8_t>(functions().size());
  return letter(byte);
}

// A letter of a name: those functions stay that have it in this place.
bool ExpressionRecogniser::letter(char byte) {
  const auto all = functions();
  if (byte == '(' && letters_ > 0 && all[first_].name.size() == letters_) return open(first_);
  const auto fits = [&](std::size_t f) {
    return letters_ < all[f].name.size() && all[f].name[letters_] == byte;
  };
  while (first_ < last_ && !fits(first_)) ++first_;
  std::uint8_t end = first_;
  while (end < last_ && fits(end)) ++end;
  last_ = end;
  ++letters_;
  expect_ = Expect::Letters;
  return first_ < last_;
}

bool ExpressionRecogniser::open(int function) {
  if (depth_ == kFrames || (function >= 0 && !countOperation())) return false;
  frames_[++depth_] = {.function = static_cast<std::int8_t>(function)};
  expect_ = Expect::Operand;
  return true;
}

bool ExpressionRecogniser::behindOperand(char byte) {
  if (byte == ' ') {
    expect_ = Expect::OperatorOnly;
    return operations_ < kExpressionLimits.operations;
  }
  if (byte == ')') return closeParenthesis();
  return byte == ',' ? comma() : binary(byte);
}

bool ExpressionRecogniser::closeParenthesis() {
  if (depth_ == 0) return false;
  if (top().function >= 0 &&
      top().arguments < functions()[static_cast<std::size_t>(top().function)].least)
    return false;
  --depth_;
  expect_ = Expect::Operator;
  return true;
}

bool ExpressionRecogniser::comma() {
  Frame& frame = top();
  if (frame.function < 0) return false;
  if (frame.arguments == functions()[static_cast<std::size_t>(frame.function)].most) return false;
  if (++frame.arguments > 2 && !countOperation()) return false;
  frame.compared = false;
  expect_ = Expect::SpaceOrOperand;
  return true;
}

bool ExpressionRecogniser::binary(char byte) {
  const bool comparison = std::string_view("=!<>").find(byte) != std::string_view::npos;
  if (!comparison && std::string_view("+-*/%@").find(byte) == std::string_view::npos) return false;
  if ((comparison && top().compared) || !countOperation()) return false;
  top().compared = top().compared || comparison;
  if (!comparison)
    expect_ = Expect::SpaceOrOperand;
  else
    expect_ = byte == '<' || byte == '>' ? Expect::EqualsOrOperand : Expect::Equals;
  return true;
}

bool ExpressionRecogniser::countOperation() { return operations_++ < kExpressionLimits.operations; }

void ExpressionRecogniser::close(std::string& out) const {
  switch (expect_) {
    case Expect::Equals: out += "=0"; break;
    case Expect::Digits: number_.close(out); break;
    case Expect::List: list_.close(out); break;
    case Expect::Operator: break;
    case Expect::OperatorOnly: out += "+0"; break;
    case Expect::Letters: {
      std::size_t shortest = first_;
      for (std::size_t f = first_; f < last_; ++f)
        if (functions()[f].name.size() < functions()[shortest].name.size()) shortest = f;
      const Function& function = functions()[shortest];
      out += function.name.substr(letters_);
      out += "(0";
      for (std::size_t i = 1; i < function.least; ++i) out += ",0";
      out += ')';
      break;
    }
    default: out += '0'; break;
  }
  for (std::size_t i = depth_; i > 0; --i) {
    const Frame& frame = frames_[i];
    if (frame.function >= 0)
      for (std::size_t n = frame.arguments;
           n < functions()[static_cast<std::size_t>(frame.function)].least; ++n)
        out += ",0";
    out += ')';
  }
}

}  // namespace qgpu::chat
