// What expressions are about: 32-bit integers, lists of them, and lists of lists as matrices.
//
//   Value row{Shape::list(3), {1, 2, 3}};
//   row.text();          // "[1, 2, 3]"
//   row.shape.text();    // "a list of 3"
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace qgpu::chat {

struct Shape {
  enum class Rank : std::uint8_t { Scalar, List, Matrix };
  Rank rank = Rank::Scalar;
  std::size_t rows = 1;     // 1 unless a matrix
  std::size_t columns = 1;  // elements of a list, or of each row

  static Shape scalar() { return {}; }
  static Shape list(std::size_t n) { return {Rank::List, 1, n}; }
  static Shape matrix(std::size_t rows, std::size_t columns) {
    return {Rank::Matrix, rows, columns};
  }

  bool isScalar() const { return rank == Rank::Scalar; }
  bool isList() const { return rank == Rank::List; }
  bool isMatrix() const { return rank == Rank::Matrix; }
  std::size_t count() const { return rows * columns; }
  // "a number", "a list of 3", "a matrix of 2 by 3"
  std::string text() const;
  friend bool operator==(const Shape&, const Shape&) = default;
};

struct Value {
  Shape shape;
  std::vector<std::int32_t> elements = {0};  // row by row

  // As an expression has it: "7", "[1, 2]", "[[1, 2], [3, 4]]".
  std::string text() const;
  friend bool operator==(const Value&, const Value&) = default;
};

}  // namespace qgpu::chat
