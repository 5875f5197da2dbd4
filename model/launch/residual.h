// The residual stream of one token, with a list of the dims that may be nonzero.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/weights/layer_weights.h"

namespace qgpu::model {

class Residual {
 public:
  explicit Residual(std::size_t hidden) : x_(hidden), listed_(hidden) {}

  // A machine token: the constants, and ones in some dims.
  void begin(std::span<const Entry> constants, std::span<const std::uint16_t> ones);

  const std::vector<float>& x() const { return x_; }
  float operator[](std::size_t dim) const { return x_[dim]; }
  void add(std::uint16_t dim, float value) {
    x_[dim] += value;
    if (listed_[dim] != 0) return;
    listed_[dim] = 1;
    active_.push_back(dim);
  }

  // The dims other than the constants' that are not zero.
  const std::vector<std::uint16_t>& active() const { return active_; }
  // Drops what has become zero. False where the residual stream is not what the lifted layers are
  // exact for: every active dim an integer of at most kMost, the constants in place.
  bool settle();
  static constexpr float kMost = 256;

  // Lets `change` do anything to x.
  template <typename Change>
  void rewrite(Change change) {
    change(x_);
    recount();
  }

 private:
  void recount();

  std::vector<float> x_;
  std::vector<std::uint8_t> listed_;  // in active_, or a constant
  std::vector<std::uint16_t> active_;
  std::span<const Entry> constants_;
  bool integral_ = true;
};

}  // namespace qgpu::model
