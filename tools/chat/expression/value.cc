#include "tools/chat/expression/value.h"

#include <fmt/format.h>

namespace qgpu::chat {

std::string Shape::text() const {
  switch (rank) {
    case Rank::Scalar: return "a number";
    case Rank::List: return fmt::format("a list of {}", columns);
    default: return fmt::format("a matrix of {} by {}", rows, columns);
  }
}

std::string Value::text() const {
  if (shape.isScalar()) return std::to_string(elements.at(0));
  std::string result;
  for (std::size_t row = 0; row < shape.rows; ++row) {
    result += row == 0 ? "[" : ", [";
    for (std::size_t column = 0; column < shape.columns; ++column)
      result +=
          (column == 0 ? "" : ", ") + std::to_string(elements.at(row * shape.columns + column));
    result += ']';
  }
  return shape.isMatrix() ? '[' + result + ']' : result;
}

}  // namespace qgpu::chat
