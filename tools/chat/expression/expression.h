// Expressions over list literals, the language of the chat's calculator.
//
//   auto expression = parseExpression("[1, 2, 3] @ [4, 5, 6] + 1");   // Expected<Expression>
//   expression->steps.size();          // 5: three literals, the product, the sum
//   expression->result().shape;        // a number
//
// Numbers are 32-bit integers. Lists hold numbers, or rows of one length. Precedence as in Python:
// unary minus, then * / % @, then + -, then one comparison. operation.h has the functions.
//
// Everything that can be known before computing is checked here: syntax, the range of numbers,
// shapes, and that each operation's arrays fit the machine's memory together. Refused, with line
// and column and what to write instead.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/base/failure.h"
#include "tools/chat/expression/operation.h"
#include "tools/chat/expression/value.h"

namespace qgpu::chat {

// What an expression may take.
struct ExpressionLimits {
  std::size_t bytes = 4096;
  std::size_t operations = 32;  // each is a launch
  std::size_t depth = 16;       // of parentheses, calls and minus signs
  std::size_t elements = 126;   // of a literal: the machine's memory
};
inline constexpr ExpressionLimits kExpressionLimits{};

// One operation, or a literal.
struct Step {
  Operation operation = Operation::Literal;
  std::vector<std::size_t> operands = {};  // steps before this one
  Shape shape = {};                        // of the result
  Value literal = {};                      // of Operation::Literal
  Location where = {};
};

struct Expression {
  std::vector<Step> steps;  // operands first; the last one is the result

  const Step& result() const { return steps.back(); }
};

Expected<Expression> parseExpression(std::string_view text);

// Syntax and the range of numbers only: the shapes of results are left open.
Expected<Expression> parseSyntax(std::string_view text);

// The shape of an operation's result. Refused: operands that do not go together, or too large.
Expected<Shape> shapeOf(Operation operation, const std::vector<Shape>& operands,
                        const Location& where);

}  // namespace qgpu::chat
