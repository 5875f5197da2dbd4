#include "model/launch/lifted_mlp.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "model/launch/whole_rows.h"

namespace qgpu::model {
namespace {

// Whole numbers that together stay below this add up exactly.
constexpr double kExactSum = 16777216.0;  // 2^24

// One past the last row that is not empty.
std::size_t rowsInUse(const SparseMatrix& m) {
  std::size_t rows = m.rows();
  while (rows > 0 && m.rowColumns(rows - 1).empty()) --rows;
  return rows;
}

}  // namespace

std::optional<LiftedMlp> LiftedMlp::recognize(const LayerWeights& w, const Substrate& substrate,
                                              std::span<const Entry> constants,
                                              const BankOptions& options) {
  const auto rows = WholeRows::behind(w.post_attention_layernorm, constants, substrate);
  if (!rows || substrate.intermediate > 8192) return std::nullopt;
  const std::size_t units = rowsInUse(w.gate_proj);
  std::vector<WholeRow> gates, ups;
  for (std::size_t u = 0; u < units; ++u) {
    auto gate = rows->row(w.gate_proj, u, kGateScale);
    auto up = rows->row(w.up_proj, u, 1.0f);
    if (!gate || !up) return std::nullopt;
    gates.push_back(std::move(*gate));
    ups.push_back(std::move(*up));
  }
  std::vector<std::vector<Share>> downs(units);
  for (std::size_t dim = 0; dim < w.down_proj.rows(); ++dim) {
    const auto columns = w.down_proj.rowColumns(dim);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const float amount = toFloat(w.down_proj.rowValues(dim)[i]) * kGateScale;
      if (columns[i] >= units) continue;  // its gate is 0
      if (!isWhole(amount) || rows->isConstant(dim)) return std::nullopt;
      downs[columns[i]].push_back({static_cast<std::uint16_t>(dim), amount});
    }
  }
  LiftedMlp mlp(std::move(gates), static_cast<std::size_t>(substrate.hidden), options);
  for (std::size_t u = 0; u < units; ++u) {
    for (const auto& [dim, factor] : ups[u].terms) mlp.up_.push_back({dim, factor});
    mlp.down_.insert(mlp.down_.end(), downs[u].begin(), downs[u].end());
    float most = 0;
    for (const Share& share : downs[u]) most = std::max(most, std::fabs(share.amount));
    mlp.units_.push_back({static_cast<std::uint32_t>(mlp.up_.size()),
                          static_cast<std::uint32_t>(mlp.down_.size()), ups[u].constant, most});
  }
  return mlp;
}

float LiftedMlp::upOf(std::size_t unit, const Residual& residual) const {
  float sum = units_[unit].up;
  for (std::uint32_t i = unit == 0 ? 0 : units_[unit - 1].up_end; i < units_[unit].up_end; ++i)
    sum += up_[i].amount * residual[up_[i].dim];
  return sum;
}

bool LiftedMlp::addTo(Residual& residual) {
  if (!residual.settle()) return false;
  gates_.gather(residual);
  open_.clear();
  double reach = 0;  // no sum exceeds it
  gates_.touched().forEach([&](std::size_t group) {
    for (std::uint64_t left = positiveRows(gates_.sums(), group); left != 0; left &= left - 1) {
      const std::size_t unit = group * kGroup + static_cast<std::size_t>(std::countr_zero(left));
      const float product = static_cast<float>(gates_.sums()[unit]) * upOf(unit, residual);
      reach += static_cast<double>(std::fabs(product)) * units_[unit].most;
      if (product != 0.0f) open_.push_back({unit, product});
    }
  });
  gates_.restore();
  if (reach >= kExactSum) return false;
  for (const auto& [unit, product] : open_)
    for (std::uint32_t i = unit == 0 ? 0 : units_[unit - 1].down_end; i < units_[unit].down_end;
         ++i)
      residual.add(down_[i].dim, product * down_[i].amount);
  return true;
}

}  // namespace qgpu::model
