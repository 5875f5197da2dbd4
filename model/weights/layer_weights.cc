#include "model/weights/layer_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interpreter/base/failure.h"

namespace qgpu::model {

SparseMatrix::SparseMatrix(std::size_t rows, std::size_t columns, std::vector<Entry> entries)
    : columns_(columns), starts_(rows + 1) {
  check(columns <= 65536, "a sparse matrix has at most 65,536 columns");
  for (const Entry& e : entries) {
    check(e.row < rows && e.column < columns, "a weight lies inside its matrix");
    check(e.value != 0 && isBfloat16(e.value), "a weight is not 0 and exact in bfloat16");
    ++starts_[e.row + 1];
  }
  for (std::size_t r = 0; r < rows; ++r) starts_[r + 1] += starts_[r];
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  const auto same = std::ranges::adjacent_find(entries, [](const Entry& a, const Entry& b) {
    return a.row == b.row && a.column == b.column;
  });
  check(same == entries.end(), "a weight is stated once");
  for (const Entry& e : entries) {
    column_.push_back(static_cast<std::uint16_t>(e.column));
    values_.push_back(toBfloat16(e.value));
  }
}

Expected<SparseMatrix> SparseMatrix::from(const Compressed& stored, std::size_t columns) {
  const auto& [starts, column, values] = stored;
  if (starts.empty() || starts[0] != 0 || column.size() != values.size() ||
      starts.back() != column.size())
    return refuse("its rows do not cover its entries");
  for (std::size_t r = 0; r + 1 < starts.size(); ++r) {
    if (starts[r + 1] < starts[r] || starts[r + 1] > column.size())
      return refuse(fmt::format("row {} ends before it begins or past the last entry", r));
    for (std::uint32_t i = starts[r]; i < starts[r + 1]; ++i) {
      if (column[i] >= columns || (i > starts[r] && column[i] <= column[i - 1]))
        return refuse(fmt::format("the columns of row {} do not ascend within {}", r, columns));
      if (const float v = toFloat(values[i]); v == 0 || !std::isfinite(v))
        return refuse(fmt::format("row {} stores {}", r, v));
    }
  }
  SparseMatrix matrix;
  matrix.columns_ = columns;
  matrix.starts_.assign(starts.begin(), starts.end());
  matrix.column_.assign(column.begin(), column.end());
  matrix.values_.assign(values.begin(), values.end());
  return matrix;
}

std::size_t LayerWeights::mixerNonzeros() const {
  return in_proj_qkv.nonzeros() + in_proj_z.nonzeros() + in_proj_b.nonzeros() +
         in_proj_a.nonzeros() + conv1d.nonzeros() + out_proj.nonzeros();
}

std::size_t LayerWeights::mlpNonzeros() const {
  return gate_proj.nonzeros() + up_proj.nonzeros() + down_proj.nonzeros();
}

}  // namespace qgpu::model
