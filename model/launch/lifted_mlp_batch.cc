// lifted_mlp.h at all positions of a batch at once.
#include <algorithm>
#include <cmath>

#include "model/launch/lifted_mlp.h"

namespace qgpu::model {
namespace {

constexpr double kExactSum = 16777216.0;  // 2^24

// A number whose planes are kept elsewhere.
struct View {
  int planes = 0;
  const Lanes& sign;
  const Lanes* plane = nullptr;
};

Number product(const Number& a, const Number& b) {
  Number sum;
  for (int k = 0; k < a.planes; ++k) {
    Number part = b;
    restrict(part, a.plane[k]);
    addProduct(sum, part, std::int32_t{1} << k);
  }
  return sum;
}

}  // namespace

void LiftedMlp::keep(std::uint32_t unit, const Number& number, std::int32_t factor) {
  batch_products_.push_back(
      {unit, factor, static_cast<std::uint32_t>(planes_.size()), number.planes, number.sign});
  planes_.insert(planes_.end(), number.plane.begin(), number.plane.begin() + number.planes);
  const double most = std::ldexp(std::fabs(static_cast<double>(factor)), number.planes);
  for (std::uint32_t i = units_[unit].down_begin; i < units_[unit + 1].down_begin; ++i) {
    double& reach = reach_[down_[i].dim];
    reach += most * std::fabs(static_cast<double>(down_[i].amount));
    most_reach_ = std::max(most_reach_, reach);
  }
}

// `gate` is not negative.
void LiftedMlp::multiply(std::uint32_t unit, const Number& gate, BatchResidual& batch) {
  const auto constant = static_cast<std::int32_t>(units_[unit].up);
  if (units_[unit].up_begin == units_[unit + 1].up_begin) {
    if (constant != 0) keep(unit, gate, constant);
    return;
  }
  const Lanes open = nonzero(gate);
  Number up;
  for (std::uint32_t i = units_[unit].up_begin; i < units_[unit + 1].up_begin; ++i)
    addProduct(up, batch.dim(up_[i].dim), up_[i].amount);
  restrict(up, open);
  addConstant(up, open, constant);
  if (nonzero(up).any()) keep(unit, gate.planes == 1 ? up : product(gate, up), 1);
}

bool LiftedMlp::addTo(BatchResidual& batch) {
  if (!batch.settle()) return false;
  batch_products_.clear();
  planes_.clear();
  reach_.assign(batch.hidden(), 0);
  most_reach_ = 0;
  gates_.findAll(batch,
                 [&](std::uint32_t unit, const Number& gate) { multiply(unit, gate, batch); });
  if (most_reach_ >= kExactSum) return false;
  for (const BatchProduct& p : batch_products_) {
    const View number{p.planes, p.sign, planes_.data() + p.first};
    for (std::uint32_t i = units_[p.unit].down_begin; i < units_[p.unit + 1].down_begin; ++i)
      batch.add(down_[i].dim, number, p.factor * down_[i].amount);
  }
  return true;
}

}  // namespace qgpu::model
