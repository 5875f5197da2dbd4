// Compiled layers: Qwen3.5's tensors under their stock names, kept sparse.
//
// One layer is RMSNorm, Gated DeltaNet, RMSNorm, SwiGLU, each block added to the residual stream.
// Every stored value is a bfloat16; a value that is not exactly representable cannot be stored.
//
//   tensor                       shape                     here
//   input_layernorm.weight       [hidden]                  dense; a stored w is a gain of 1 + w
//   linear_attn.in_proj_qkv      [3 * heads * 128, hidden] sparse; q rows, then k, then v
//   linear_attn.in_proj_z        [heads * 128, hidden]     sparse
//   linear_attn.in_proj_b, _a    [heads, hidden]           sparse
//   linear_attn.conv1d           [3 * heads * 128, 4]      sparse; tap 3 is the current token
//   linear_attn.dt_bias, A_log   [heads]                   dense
//   linear_attn.norm             [128]                     dense; a plain gain
//   linear_attn.out_proj         [hidden, heads * 128]     sparse
//   post_attention_layernorm     [hidden]                  dense; a stored w is a gain of 1 + w
//   mlp.gate_proj, up_proj       [intermediate, hidden]    sparse
//   mlp.down_proj                [hidden, intermediate]    sparse
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interpreter/base/bfloat16.h"
#include "interpreter/base/failure.h"

namespace qgpu::model {

struct Entry {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  float value = 0;
  friend bool operator==(const Entry&, const Entry&) = default;
};

// Compressed rows, columns ascending within a row, no stored zero.
class SparseMatrix {
 public:
  SparseMatrix() = default;
  // check()s that the entries lie inside, name each place once and are exact in bfloat16.
  SparseMatrix(std::size_t rows, std::size_t columns, std::vector<Entry> entries);

  // The same matrix as it is stored: row r's entries are column[i], values[i] for i from starts[r]
  // to below starts[r + 1].
  struct Compressed {
    std::span<const std::uint32_t> starts;
    std::span<const std::uint16_t> column;
    std::span<const bfloat16> values;
  };
  Compressed compressed() const { return {starts_, column_, values_}; }
  // Refused, with the row: starts that go back or past the end, columns that do not ascend or lie
  // outside, a stored zero, infinity or NaN.
  static Expected<SparseMatrix> from(const Compressed& stored, std::size_t columns);

  std::size_t rows() const { return starts_.empty() ? 0 : starts_.size() - 1; }
  std::size_t columns() const { return columns_; }
  std::size_t nonzeros() const { return values_.size(); }

  std::span<const std::uint16_t> rowColumns(std::size_t row) const {
    return std::span(column_).subspan(starts_[row], starts_[row + 1] - starts_[row]);
  }
  std::span<const bfloat16> rowValues(std::size_t row) const {
    return std::span(values_).subspan(starts_[row], starts_[row + 1] - starts_[row]);
  }
  friend bool operator==(const SparseMatrix&, const SparseMatrix&) = default;

 private:
  std::size_t columns_ = 0;
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint16_t> column_;
  std::vector<bfloat16> values_;
};

struct LayerWeights {
  std::vector<bfloat16> input_layernorm;
  SparseMatrix in_proj_qkv, in_proj_z, in_proj_b, in_proj_a, conv1d, out_proj;
  std::vector<bfloat16> dt_bias, a_log, norm;
  std::vector<bfloat16> post_attention_layernorm;
  SparseMatrix gate_proj, up_proj, down_proj;

  std::size_t mixerNonzeros() const;
  std::size_t mlpNonzeros() const;
  friend bool operator==(const LayerWeights&, const LayerWeights&) = default;
};

}  // namespace qgpu::model
