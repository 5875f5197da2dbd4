#include "model/launch/residual.h"

#include <algorithm>
#include <cmath>

namespace qgpu::model {

void Residual::begin(std::span<const Entry> constants, std::span<const std::uint16_t> ones) {
  std::ranges::fill(x_, 0.0f);
  ones_.clear();
  others_.clear();
  changed_.clear();
  is_counted_ = true;
  fits_ = true;
  constants_ = constants;
  for (const Entry& e : constants) x_[e.column] = e.value;
  for (const std::uint16_t dim : ones) {
    fits_ = fits_ && x_[dim] == 0.0f;  // a constant is in place no more
    x_[dim] = 1.0f;
    changed_.insert(dim);
  }
}

// Puts a dim into the set it belongs to; false where its value is out of bounds.
bool Residual::file(std::size_t dim) {
  const float value = x_[dim];
  ones_.put(dim, value == 1.0f);
  others_.put(dim, value != 1.0f && value != 0.0f);
  return std::fabs(value) <= kMost;
}

bool Residual::settle() {
  if (!is_counted_) recount();
  changed_.drain([&](std::size_t dim) { fits_ = file(dim) && fits_; });
  return fits_;
}

void Residual::recount() {
  ones_.clear();
  others_.clear();
  changed_.clear();
  is_counted_ = true;
  fits_ = std::ranges::all_of(constants_, [&](const Entry& e) { return x_[e.column] == e.value; });
  for (std::size_t dim = 0; dim < x_.size(); ++dim)
    if (x_[dim] != 0.0f) changed_.insert(dim);
  for (const Entry& e : constants_) changed_.erase(e.column);
  changed_.drain(
      [&](std::size_t dim) { fits_ = file(dim) && x_[dim] == std::floor(x_[dim]) && fits_; });
}

}  // namespace qgpu::model
