// The residual stream of one token: whole numbers in a few dims, zeros in the others.
//
// Beside the values it keeps two sets, the dims that hold 1 and those that hold anything but 0 and
// 1, since that is all that most rows of a circuit need to know of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/launch/dim_set.h"
#include "model/weights/layer_weights.h"

namespace qgpu::model {

class Residual {
 public:
  explicit Residual(std::size_t hidden)
      : x_(hidden), ones_(hidden), others_(hidden), changed_(hidden) {}

  // A machine token: the constants, and ones in some dims.
  void begin(std::span<const Entry> constants, std::span<const std::uint16_t> ones);

  const std::vector<float>& x() const { return x_; }
  float operator[](std::size_t dim) const { return x_[dim]; }
  void add(std::uint16_t dim, float value) {
    x_[dim] += value;
    changed_.insert(dim);
  }

  // Brings the sets up to date. False where the residual stream is not what the lifted layers are
  // exact for: every dim an integer of at most kMost, the constants in place.
  bool settle();
  static constexpr float kMost = 256;

  // As of the last settle(); constants are in neither.
  const DimSet& ones() const { return ones_; }
  const DimSet& others() const { return others_; }

  // Lets `change` do anything to x.
  template <typename Change>
  void rewrite(Change change) {
    change(x_);
    is_counted_ = false;
  }

 private:
  void recount();
  bool file(std::size_t dim);

  std::vector<float> x_;
  DimSet ones_, others_;
  DimSet changed_;  // since the last settle()
  std::span<const Entry> constants_;
  bool is_counted_ = true;  // since the last rewrite()
  bool fits_ = true;        // what rewrite() left is within bounds
};

}  // namespace qgpu::model
