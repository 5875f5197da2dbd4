// Recognises rows of a projection that compute whole numbers.
//
// For a residual stream that holds the constants and otherwise integers of at most
// Residual::kMost, RMSNorm multiplies by one power of two: the constants' squares alone decide its
// root, the others vanish beside them in binary32 (substrate.h). Then a row whose every weight is a
// whole multiple of some unit sums exactly, in any order, as long as nothing exceeds 2^24 units.
// Whatever is not of this form is not recognised; nothing is assumed of how the weights were made.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/launch/residual.h"
#include "model/weights/layer_weights.h"
#include "model/weights/substrate.h"

namespace qgpu::model {

// A row in units of its own: constant + sum of factor * dim, all of them integers, and below 2^24
// together.
struct WholeRow {
  static constexpr float kMostFactor = 32767;
  float constant = 0;
  std::vector<std::pair<std::uint16_t, float>> terms;
};

class WholeRows {
 public:
  // `norm`: the stored weights of the RMSNorm before the projection. Nothing where it does not
  // multiply by a power of two.
  static std::optional<WholeRows> behind(const std::vector<bfloat16>& norm,
                                         std::span<const Entry> constants,
                                         const Substrate& substrate);

  // Row r of `matrix` in the given unit.
  std::optional<WholeRow> row(const SparseMatrix& matrix, std::size_t r, float unit) const;
  // The value of a row that holds constants only.
  std::optional<float> constantRow(const SparseMatrix& matrix, std::size_t r) const;
  bool isConstant(std::size_t dim) const { return constant_[dim] != 0; }

 private:
  WholeRows() = default;
  std::optional<WholeRow> inQuanta(const SparseMatrix& matrix, std::size_t r, double quantum,
                                   double most_factor) const;

  float scale_ = 0;              // what the norm multiplies by
  std::vector<float> constant_;  // of each dim, 0 where it is none
  std::vector<float> gain_;
};

// Whether x is an integer below 2^24 in size.
bool isWhole(double x);

}  // namespace qgpu::model
