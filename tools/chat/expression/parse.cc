// From text to steps, by recursive descent with precedence climbing.
#include <fmt/format.h>

#include <algorithm>

#include "tools/chat/expression/expression.h"

namespace qgpu::chat {
namespace {

constexpr std::int64_t kLargest = 2147483647;

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expected<Expression> run() {
    if (text_.size() > kExpressionLimits.bytes)
      return refuse(fmt::format("the expression has {} characters", text_.size()),
                    fmt::format("up to {} can be read", kExpressionLimits.bytes));
    if (skipSpace(), atEnd()) return refuseHere("there is no expression", "write one: [1, 2] + 3");
    const auto result = pair(0, 0);
    if (!result) return fail(result.error());
    if (skipSpace(), !atEnd()) return unexpected("an operator");
    return std::move(expression_);
  }

 private:
  using Index = std::size_t;  // of a step

  // operand (operator operand)*, with operators of at least this precedence.
  Expected<Index> pair(int precedence, std::size_t depth) {
    auto left = operand(depth);
    while (left) {
      skipSpace();
      const Operator* op = operatorAt(rest());
      if (op == nullptr || op->precedence < precedence) break;
      const Location where = here();
      at_ += op->text.size();
      if (auto refused = refuseFamiliar(*op, where)) return fail(std::move(*refused));
      auto right = pair(op->precedence + 1, depth);
      if (!right) return right;
      left = add(op->operation, {*left, *right}, where);
      if (left && op->precedence == 1 && (skipSpace(), startsComparison()))
        return refuseHere("two comparisons in a row", "put parentheses around one");
    }
    return left;
  }

  // Two operators of other languages that begin with one of ours.
  std::optional<Failure> refuseFamiliar(const Operator& op, const Location& where) const {
    if (op.text == "*" && rest().starts_with('*'))
      return refuseAt(where, "there is no **", "multiply: 3 * 3").value();
    if (op.text == "/" && rest().starts_with('/'))
      return refuseAt(where, "there is no //", "write /, which drops the fraction").value();
    return std::nullopt;
  }
  bool startsComparison() const {
    const Operator* op = operatorAt(rest());
    return op != nullptr && op->precedence == 1;
  }

  Expected<Index> operand(std::size_t depth) {
    skipSpace();
    if (depth > kExpressionLimits.depth)
      return refuseHere("the expression is nested too deeply",
                        fmt::format("up to {} levels can be read", kExpressionLimits.depth));
    if (atEnd()) return refuseHere("the expression ends where a value should stand");
    const char c = text_[at_];
    if (c == '[') return list();
    if (c == '(') return group(depth);
    if (isDigit(c) || (c == '-' && isDigit(after()))) return number();
    if (c == '-') return negation(depth);
    if (isLetter(c)) return call(depth);
    return unexpected("a value");
  }

  Expected<Index> negation(std::size_t depth) {
    const Location where = here();
    ++at_;
    const auto inner = operand(depth + 1);
    return inner ? add(Operation::Negate, {*inner}, where) : inner;
  }

  Expected<Index> group(std::size_t depth) {
    ++at_;
    auto inner = pair(0, depth + 1);
    if (inner && (skipSpace(), !accept(')'))) return unexpected("')'");
    return inner;
  }

  Expected<Index> call(std::size_t depth) {
    const Location where = here();
    const std::size_t begin = at_;
    while (!atEnd() && (isLetter(text_[at_]) || isDigit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    const Function* function = functionNamed(name);
    if (function == nullptr) return unknown(name, where);
    if (skipSpace(), !accept('(')) return unexpected("'('");
    std::vector<Index> arguments;
    do {
      const auto argument = pair(0, depth + 1);
      if (!argument) return argument;
      arguments.push_back(*argument);
      skipSpace();
    } while (arguments.size() <= function->most && accept(','));
    if (arguments.size() < function->least || arguments.size() > function->most)
      return refuseAt(where, fmt::format("{} takes {}", name, argumentsText(*function)));
    if (!accept(')')) return unexpected("',' or ')'");
    if (arguments.size() == 1) return add(function->of_one, {arguments[0]}, where);
    Expected<Index> result = arguments[0];
    for (std::size_t i = 1; result && i < arguments.size(); ++i)
      result = add(*function->of_more, {*result, arguments[i]}, where);
    return result;
  }

  static std::string argumentsText(const Function& function) {
    if (function.most == 1) return "one argument";
    if (function.least == function.most) return fmt::format("{} arguments", function.most);
    return fmt::format("{} to {} arguments", function.least, function.most);
  }

  tl::unexpected<Failure> unknown(std::string_view name, const Location& where) const {
    std::string names;
    for (const Function& f : functions())
      names += (names.empty() ? "" : ", ") + std::string(f.name);
    return refuseAt(where, fmt::format("there is no '{}'", name.substr(0, 40)),
                    fmt::format("write values as literals; the functions are {}", names));
  }

  Expected<Index> number() {
    Step step{.where = here()};
    const auto value = integer();
    if (!value) return fail(value.error());
    step.literal.elements = {*value};
    return append(std::move(step));
  }

  Expected<Index> list() {
    Step step{.where = here()};
    std::vector<std::int32_t>& elements = step.literal.elements;
    elements.clear();
    ++at_;
    skipSpace();
    if (accept('[')) {
      std::size_t rows = 0, columns = 0;
      do {
        if (rows > 0 && (skipSpace(), !accept('['))) return unexpected("another row");
        const Location where = here();
        if (auto read = numbers(elements); !read) return fail(std::move(read.error()));
        if (rows++ == 0) columns = elements.size();
        if (elements.size() != rows * columns)
          return refuseAt(
              where, fmt::format("row {} is not as long as the first, which has {}", rows, columns),
              "give every row the same length");
        skipSpace();
      } while (accept(','));
      if (!accept(']')) return unexpected("',' or ']'");
      step.shape = Shape::matrix(rows, columns);
    } else {
      if (auto read = numbers(elements); !read) return fail(std::move(read.error()));
      step.shape = Shape::list(elements.size());
    }
    step.literal.shape = step.shape;
    return append(std::move(step));
  }

  // After "[": numbers and "]".
  Expected<void> numbers(std::vector<std::int32_t>& elements) {
    if (skipSpace(), accept(']')) return refuseHere("an empty list", "write at least one number");
    do {
      skipSpace();
      if (elements.size() == kExpressionLimits.elements)
        return refuseHere(fmt::format("a list of more than {} numbers", kExpressionLimits.elements),
                          "that is what the machine's memory holds: use shorter lists");
      if (!atEnd() && text_[at_] == '[')
        return refuseHere("a list where a number should stand",
                          "a matrix is a list of lists of numbers");
      const auto value = integer();
      if (!value) return fail(value.error());
      elements.push_back(*value);
      skipSpace();
    } while (accept(','));
    if (!accept(']')) return unexpected("',' or ']'");
    return {};
  }

  Expected<std::int32_t> integer() {
    const Location where = here();
    const bool negative = accept('-');
    if (atEnd() || !isDigit(text_[at_])) return unexpected("a number");
    std::int64_t magnitude = 0;
    for (; !atEnd() && isDigit(text_[at_]); ++at_)
      magnitude = std::min(magnitude * 10 + (text_[at_] - '0'), kLargest + 2);
    if (magnitude > kLargest + (negative ? 1 : 0))
      return refuseAt(where, "the number does not fit 32 bits",
                      "numbers are from -2147483648 to 2147483647");
    if (!atEnd() && text_[at_] == '.')
      return refuseHere("a fraction", "numbers are integers: scale them, 150 for 1.5");
    if (!atEnd() && isLetter(text_[at_]))
      return refuseHere("a letter in a number", "write integers in decimal");
    return static_cast<std::int32_t>(negative ? -magnitude : magnitude);
  }

  Expected<Index> add(Operation operation, std::vector<Index> operands, const Location& where) {
    if (++operations_ > kExpressionLimits.operations)
      return refuseAt(where, fmt::format("more than {} operations", kExpressionLimits.operations),
                      "compute it in parts");
    Step step;
    step.operation = operation;
    step.operands = std::move(operands);
    step.where = where;
    return append(std::move(step));
  }
  Index append(Step step) {
    expression_.steps.push_back(std::move(step));
    return expression_.steps.size() - 1;
  }

  bool atEnd() const { return at_ == text_.size(); }
  std::string_view rest() const { return text_.substr(at_); }
  char after() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }
  bool accept(char c) {
    if (atEnd() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skipSpace() {
    while (!atEnd() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  Location here() const {
    const std::string_view before = text_.substr(0, at_);
    const std::size_t line = before.rfind('\n');
    return {"expression", 1 + static_cast<int>(std::ranges::count(before, '\n')),
            static_cast<int>(line == before.npos ? at_ + 1 : at_ - line)};
  }
  tl::unexpected<Failure> refuseHere(std::string message, std::string hint = {}) const {
    return refuseAt(here(), std::move(message), std::move(hint));
  }
  tl::unexpected<Failure> unexpected(std::string_view wanted) const {
    if (atEnd())
      return refuseHere(fmt::format("the expression ends where {} should stand", wanted));
    const char c = text_[at_];
    if (c >= ' ' && c < 0x7f)
      return refuseHere(fmt::format("'{}' where {} should stand", c, wanted));
    return refuseHere(
        fmt::format("a character that is not of the language, where {} should stand", wanted));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t operations_ = 0;
  Expression expression_;
};

}  // namespace

Expected<Expression> parseSyntax(std::string_view text) { return Parser(text).run(); }

Expected<Expression> parseExpression(std::string_view text) {
  auto expression = parseSyntax(text);
  if (!expression) return expression;
  for (Step& step : expression->steps) {
    if (step.operation == Operation::Literal) continue;
    std::vector<Shape> shapes;
    for (const std::size_t operand : step.operands)
      shapes.push_back(expression->steps[operand].shape);
    const auto shape = shapeOf(step.operation, shapes, step.where);
    if (!shape) return fail(shape.error());
    step.shape = *shape;
  }
  return expression;
}

}  // namespace qgpu::chat
