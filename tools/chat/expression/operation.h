// The operations of expressions: how they are written and which functions there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace qgpu::chat {

enum class Operation : std::uint8_t {
  Literal,
  // Element by element; of two operands a number goes with every element of the other.
  Negate,
  Absolute,
  Add,
  Subtract,
  Multiply,
  Divide,     // truncates towards zero, as in CUDA; by zero it traps
  Remainder,  // has the sign of the dividend
  Minimum,
  Maximum,
  Equal,  // comparisons give 1 or 0
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  // The whole operand.
  Sum,
  Product,
  Smallest,
  Largest,
  Count,
  Scan,
  Sort,
  Reverse,
  Transpose,
  Dot,             // two lists
  MatrixMultiply,  // `@`: what numpy's does
};

// Whether it has two operands and works element by element.
inline bool isElementwisePair(Operation operation) {
  return operation >= Operation::Add && operation <= Operation::GreaterEqual;
}

// The operations that stand between operands; a longer one before its beginning.
struct Operator {
  std::string_view text;
  Operation operation;
  int precedence;  // a higher one binds tighter
};
std::span<const Operator> operators();
// The one that `text` begins with, or null.
const Operator* operatorAt(std::string_view text);

// The operations that are written as calls.
struct Function {
  std::string_view name;
  Operation of_one;                                   // with one argument
  std::optional<Operation> of_more = {};              // of two, and of more from left to right
  std::size_t least = 1, most = 1;                    // arguments
  std::optional<std::string_view> another_name = {};  // also understood
};
std::span<const Function> functions();
// By either name, or null.
const Function* functionNamed(std::string_view name);

// "+", "sum"
std::string_view spelling(Operation operation);

}  // namespace qgpu::chat
