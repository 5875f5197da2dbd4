// One compiled layer, prepared to run on what is not zero.
//
// The formulas are those of model/layers (RMSNorm, Gated DeltaNet, SwiGLU, binary32). What is left
// out is only ever the addition of an exact zero, a product by an exact zero, or a hidden unit
// whose gate is exactly zero; since the compiled weights make every sum exact, the order of the
// rest does not matter either, and the result has the bits of the plain forward pass. That holds
// for machine tokens; other tokens leave the state and the residual stream as they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/circuit/layer_weights.h"
#include "compiler/circuit/substrate.h"

namespace qgpu::model {

// A sparse matrix by columns: for an input that is mostly zero.
class Columns {
 public:
  Columns() = default;
  explicit Columns(const circuit::SparseMatrix& matrix);
  // out += column * x
  void addTo(std::size_t column, float x, float* out) const {
    for (std::uint32_t i = starts_[column]; i < starts_[column + 1]; ++i)
      out[rows_[i]] += values_[i] * x;
  }
  bool isEmpty(std::size_t column) const { return starts_[column] == starts_[column + 1]; }

 private:
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint16_t> rows_;
  std::vector<float> values_;
};

// By rows: for a few outputs of many.
class Rows {
 public:
  Rows() = default;
  explicit Rows(const circuit::SparseMatrix& matrix);
  float dot(std::size_t row, const float* x) const {
    float sum = 0;
    for (std::uint32_t i = starts_[row]; i < starts_[row + 1]; ++i)
      sum += values_[i] * x[columns_[i]];
    return sum;
  }
  bool isEmpty(std::size_t row) const { return starts_[row] == starts_[row + 1]; }
  std::uint32_t begin(std::size_t row) const { return starts_[row]; }
  std::uint32_t end(std::size_t row) const { return starts_[row + 1]; }
  std::uint16_t column(std::uint32_t i) const { return columns_[i]; }
  float value(std::uint32_t i) const { return values_[i]; }

 private:
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint16_t> columns_;
  std::vector<float> values_;
};

// The residual stream of one token, with the list of its nonzero places.
struct Residual {
  std::vector<float> x;
  std::vector<std::uint16_t> nonzero;
  void findNonzero();
};

class SparseLayer {
 public:
  SparseLayer(const circuit::LayerWeights& weights, const circuit::Substrate& substrate);

  // One token through the layer.
  void step(Residual& residual);
  void reset();

  // A value of head `head`'s state, before its scale: row `row`, lane `lane`.
  float stored(int head, int row, int lane) const;

 private:
  struct Head {
    int number = 0;
    float decay = 1;
    std::vector<float> state;  // [128][128], key then value
  };
  // A row of the projections whose convolution looks back: its last three inputs, oldest first.
  struct Tail {
    std::uint16_t row = 0;
    float past[3] = {0, 0, 0};
  };

  void normalize(const Residual& residual, const std::vector<float>& gain);
  void mix(Residual& residual);
  void convolve();
  void useHead(Head& head, Residual& residual);
  void writeRow(Head& head, const float* key, const float* value, float beta);
  bool readRow(const Head& head, const float* query, float* out) const;
  void think(Residual& residual);

  std::size_t heads_, hidden_, intermediate_;
  std::vector<float> mixer_gain_, mlp_gain_, head_gain_;
  Columns qkv_, out_, gate_, down_;
  Rows z_, beta_, conv_, up_;
  std::vector<Head> used_heads_;
  std::vector<Tail> tails_;
  std::size_t units_ = 0;  // hidden units in use

  // Scratch of one step.
  std::vector<float> normed_, projected_, hidden_units_;
};

}  // namespace qgpu::model
