// Which shapes go together, and what they need.
#include <fmt/format.h>

#include "interpreter/isa/machine_parameters.h"
#include "tools/chat/expression/expression.h"

namespace qgpu::chat {
namespace {

using Shapes = std::vector<Shape>;

tl::unexpected<Failure> refuseShapes(Operation operation, const Shapes& operands,
                                     const Location& where, std::string hint) {
  std::string given = operands[0].text();
  if (operands.size() > 1) given += " and " + operands[1].text();
  return refuseAt(where, fmt::format("{} of {}", spelling(operation), given), std::move(hint));
}

Expected<Shape> elementwiseShape(Operation operation, const Shapes& s, const Location& where) {
  if (s[0].isScalar()) return s[1];
  if (s[1].isScalar() || s[0] == s[1]) return s[0];
  return refuseShapes(operation, s, where, "both must have the same shape, or one be a number");
}

Expected<Shape> productShape(Operation operation, const Shapes& s, const Location& where) {
  if (s[0].isScalar() || s[1].isScalar())
    return refuseShapes(operation, s, where, "use * to multiply by a number");
  if (operation == Operation::Dot && !(s[0].isList() && s[1].isList()))
    return refuseShapes(operation, s, where, "dot takes two lists; use @ for matrices");
  const std::size_t inner = s[1].isList() ? s[1].columns : s[1].rows;
  if (s[0].columns != inner)
    return refuseShapes(operation, s, where,
                        fmt::format("{} elements do not meet {}", s[0].columns, inner));
  if (s[0].isList()) return s[1].isList() ? Shape::scalar() : Shape::list(s[1].columns);
  return s[1].isList() ? Shape::list(s[0].rows) : Shape::matrix(s[0].rows, s[1].columns);
}

Expected<Shape> resultShape(Operation operation, const Shapes& s, const Location& where) {
  switch (operation) {
    case Operation::Negate:
    case Operation::Absolute: return s[0];
    case Operation::Sum:
    case Operation::Product:
    case Operation::Smallest:
    case Operation::Largest:
    case Operation::Count:
      if (s[0].isScalar()) return refuseShapes(operation, s, where, "it takes a list");
      return Shape::scalar();
    case Operation::Scan:
    case Operation::Sort:
    case Operation::Reverse:
      if (!s[0].isList()) return refuseShapes(operation, s, where, "it takes a list of numbers");
      return s[0];
    case Operation::Transpose:
      if (!s[0].isMatrix())
        return refuseShapes(operation, s, where, "it takes a matrix: [[1, 2], [3, 4]]");
      return Shape::matrix(s[0].columns, s[0].rows);
    case Operation::Dot:
    case Operation::MatrixMultiply: return productShape(operation, s, where);
    default: return elementwiseShape(operation, s, where);
  }
}

// Words of global memory; the kernels are in ../kernels.
std::size_t wordsOf(Operation operation, const Shapes& s, const Shape& result) {
  std::size_t words = 0;
  for (const Shape& operand : s) words += operand.count();
  switch (operation) {
    case Operation::Sum:
    case Operation::Dot: return words + 2;
    case Operation::MatrixMultiply: return words + (result.isScalar() ? 2 : result.count());
    case Operation::Smallest:
    case Operation::Largest:
    case Operation::Count: return words + 1;
    case Operation::Transpose: return 2 * words;
    default: break;  // in place
  }
  const bool with_number = s.size() == 2 && s[0].isScalar() != s[1].isScalar();
  return isElementwisePair(operation) && with_number ? words - 1 : words;
}

}  // namespace

Expected<Shape> shapeOf(Operation operation, const Shapes& operands, const Location& where) {
  auto shape = resultShape(operation, operands, where);
  if (!shape) return shape;
  const std::size_t words = wordsOf(operation, operands, *shape);
  if (words > static_cast<std::size_t>(kMachine.global_words))
    return refuseAt(where,
                    fmt::format("{} needs {} words of memory, the machine has {}",
                                spelling(operation), words, kMachine.global_words),
                    "use shorter lists");
  return shape;
}

}  // namespace qgpu::chat
