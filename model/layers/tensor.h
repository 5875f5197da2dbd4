// How the layers see their operands.
//
//   Activations  [tokens][width], row-major, owned: one row for each token of a block.
//   WeightView   a vector or matrix, not owned: dense and row-major in fp32 or bf16, or bf16 in
//                compressed rows. The bytes may lie in a memory-mapped checkpoint or in a
//                std::vector. bf16 weights are widened where they are used, never copied.
//
//   std::vector<bfloat16> w = ...;                       // 6144 x 2048
//   const WeightView gate(w.data(), 6144, 2048);
//   gate.at(5 * 2048 + 7);                               // row 5, column 7, as a float
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>

#include "interpreter/base/bfloat16.h"

namespace qgpu::model {

using Activations = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline std::size_t tokenCount(const Activations& x) { return static_cast<std::size_t>(x.rows()); }
inline std::size_t width(const Activations& x) { return static_cast<std::size_t>(x.cols()); }
inline Activations activations(std::size_t tokens, std::size_t width) {
  return {static_cast<Eigen::Index>(tokens), static_cast<Eigen::Index>(width)};
}
inline std::span<float> row(Activations& x, std::size_t token) {
  return {x.data() + token * width(x), width(x)};
}
inline std::span<const float> row(const Activations& x, std::size_t token) {
  return {x.data() + token * width(x), width(x)};
}

// A bf16 matrix of which only the nonzero elements are stored: row r's are values[i] in column
// columns[i], ascending, for i from starts[r] to below starts[r + 1]. Not owned.
struct CompressedRows {
  const std::uint32_t* starts = nullptr;
  const std::uint16_t* columns = nullptr;
  const bfloat16* values = nullptr;
};

class WeightView {
 public:
  WeightView() = default;
  WeightView(const float* data, std::size_t rows, std::size_t cols)
      : fp32_(data), rows_(rows), cols_(cols) {}
  WeightView(const bfloat16* data, std::size_t rows, std::size_t cols)
      : bf16_(data), rows_(rows), cols_(cols) {}
  WeightView(const CompressedRows& data, std::size_t rows, std::size_t cols)
      : compressed_(data), rows_(rows), cols_(cols) {}
  // A vector is a matrix of one row.
  explicit WeightView(std::span<const float> v) : WeightView(v.data(), 1, v.size()) {}
  explicit WeightView(std::span<const bfloat16> v) : WeightView(v.data(), 1, v.size()) {}

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t size() const { return rows_ * cols_; }
  // Exactly one of the three is set, save for an empty view.
  const float* fp32() const { return fp32_; }
  const bfloat16* bf16() const { return bf16_; }
  const CompressedRows* compressed() const { return compressed_.starts ? &compressed_ : nullptr; }
  // The element at a row-major index, widened.
  float at(std::size_t index) const {
    if (compressed_.starts) return stored(index / cols_, index % cols_);
    return bf16_ ? toFloat(bf16_[index]) : fp32_[index];
  }
  // `count` rows from `first` on.
  WeightView rowRange(std::size_t first, std::size_t count) const {
    if (compressed_.starts)
      return {{compressed_.starts + first, compressed_.columns, compressed_.values}, count, cols_};
    return bf16_ ? WeightView(bf16_ + first * cols_, count, cols_)
                 : WeightView(fp32_ + first * cols_, count, cols_);
  }

 private:
  float stored(std::size_t row, std::size_t column) const {
    for (std::uint32_t i = compressed_.starts[row]; i < compressed_.starts[row + 1]; ++i)
      if (compressed_.columns[i] == column) return toFloat(compressed_.values[i]);
    return 0.0f;
  }

  const float* fp32_ = nullptr;
  const bfloat16* bf16_ = nullptr;
  CompressedRows compressed_;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

}  // namespace qgpu::model
