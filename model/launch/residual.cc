#include "model/launch/residual.h"

#include <algorithm>

namespace qgpu::model {

void Residual::begin(std::span<const Entry> constants, std::span<const std::uint16_t> ones) {
  std::ranges::fill(x_, 0.0f);
  std::ranges::fill(listed_, std::uint8_t{0});
  active_.clear();
  integral_ = true;
  constants_ = constants;
  for (const Entry& e : constants) {
    x_[e.column] = e.value;
    listed_[e.column] = 1;
  }
  for (const std::uint16_t dim : ones) {
    x_[dim] = 1.0f;
    if (listed_[dim] == 0) active_.push_back(dim);
    listed_[dim] = 1;
  }
}

bool Residual::settle() {
  bool small = integral_;
  std::size_t kept = 0;
  for (const std::uint16_t dim : active_) {
    const float value = x_[dim];
    if (value == 0.0f) {
      listed_[dim] = 0;
      continue;
    }
    small = small && std::fabs(value) <= kMost;
    active_[kept++] = dim;
  }
  active_.resize(kept);
  return small;
}

void Residual::recount() {
  std::ranges::fill(listed_, std::uint8_t{0});
  active_.clear();
  integral_ = true;
  for (const Entry& e : constants_) {
    listed_[e.column] = 1;
    integral_ = integral_ && x_[e.column] == e.value;
  }
  for (std::size_t dim = 0; dim < x_.size(); ++dim) {
    if (listed_[dim] != 0 || x_[dim] == 0.0f) continue;
    listed_[dim] = 1;
    active_.push_back(static_cast<std::uint16_t>(dim));
    integral_ = integral_ && x_[dim] == std::floor(x_[dim]);
  }
}

}  // namespace qgpu::model
