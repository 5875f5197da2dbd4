#include "model/launch/batch_residual.h"

#include <algorithm>

namespace qgpu::model {
namespace {

// A dim of so many planes is between -256 and 255.
constexpr int kSettledPlanes = 8;

}  // namespace

BatchResidual::BatchResidual(std::size_t hidden)
    : is_constant_(hidden),
      planes_(hidden),
      sign_(hidden),
      plane_(hidden * Number::kMostPlanes),
      one_(hidden),
      nonzero_(hidden),
      ones_(hidden),
      others_(hidden),
      changed_(hidden),
      used_(hidden) {}

void BatchResidual::begin(std::span<const Entry> constants, std::size_t size) {
  check(size <= kBatch, "a batch holds the positions that it is given");
  used_.drain([&](std::size_t dim) {
    planes_[dim] = 0;
    sign_[dim] = one_[dim] = nonzero_[dim] = {};
  });
  for (DimSet* set : {&ones_, &others_, &changed_, &is_constant_}) set->clear();
  for (const Entry& e : constants) is_constant_.insert(e.column);
  constants_ = constants;
  size_ = size;
  positions_ = Lanes::first(size);
  fits_ = true;
}

void BatchResidual::embed(std::size_t position, std::span<const std::uint16_t> ones) {
  for (const std::uint16_t d : ones) {
    fits_ = fits_ && !is_constant_.has(d);
    Dim dim = this->dim(d);
    extend(dim, 1);
    dim.plane[0].insert(position);
    used_.insert(d);
    changed_.insert(d);
  }
}

// What the sets and masks say of a dim.
void BatchResidual::file(std::size_t d) {
  Dim dim = this->dim(d);
  trim(dim);
  Lanes above;  // some plane but the lowest
  for (int k = 1; k < dim.planes; ++k) above |= dim.plane[k];
  const Lanes lowest = dim.planes > 0 ? dim.plane[0] : dim.sign;
  nonzero_[d] = lowest | above | dim.sign;
  one_[d] = lowest.without(above | dim.sign);
  ones_.put(d, one_[d].any());
  others_.put(d, !(one_[d] == nonzero_[d]));
  fits_ = fits_ && dim.planes <= kSettledPlanes;
}

bool BatchResidual::settle() {
  changed_.drain([&](std::size_t dim) { file(dim); });
  return fits_;
}

Lanes BatchResidual::minusOne(std::size_t dim) const {
  Lanes lanes = sign_[dim];
  for (int k = 0; k < planes_[dim]; ++k)
    lanes &= plane_[static_cast<std::size_t>(k) * planes_.size() + dim];
  return lanes;
}

void BatchResidual::get(std::size_t position, Residual& residual) const {
  residual.begin(constants_, {});
  residual.rewrite([&](std::vector<float>& x) {
    used_.forEach([&](std::size_t dim) {
      std::int32_t value = sign_[dim].has(position) ? -(std::int32_t{1} << planes_[dim]) : 0;
      for (int k = 0; k < planes_[dim]; ++k)
        if (plane_[static_cast<std::size_t>(k) * planes_.size() + dim].has(position))
          value += std::int32_t{1} << k;
      if (!is_constant_.has(dim)) x[dim] = static_cast<float>(value);
    });
  });
}

void BatchResidual::put(std::size_t position, const Residual& residual) {
  Lanes here;
  here.insert(position);
  const auto put = [&](std::size_t d) {
    addConstant(dim(d), here, static_cast<std::int32_t>(residual[d]));
    used_.insert(d);
    changed_.insert(d);
  };
  residual.ones().forEach(put);
  residual.others().forEach(put);
}

}  // namespace qgpu::model
