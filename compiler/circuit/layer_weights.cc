#include "compiler/circuit/layer_weights.h"

#include <algorithm>

#include "interpreter/base/failure.h"

namespace qgpu::circuit {

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

std::size_t LayerWeights::nonzeros() const {
  return in_proj_qkv.nonzeros() + in_proj_z.nonzeros() + in_proj_b.nonzeros() +
         in_proj_a.nonzeros() + conv1d.nonzeros() + out_proj.nonzeros() + gate_proj.nonzeros() +
         up_proj.nonzeros() + down_proj.nonzeros();
}

}  // namespace qgpu::circuit
