#include "model/launch/lifted_mlp.h"

#include <algorithm>
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
                                              std::span<const Entry> constants, bool search) {
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
      if (!isWhole(amount) || std::fabs(amount) > WholeRow::kMostFactor || rows->isConstant(dim))
        return std::nullopt;
      downs[columns[i]].push_back(
          {static_cast<std::uint16_t>(dim), static_cast<std::int16_t>(amount)});
    }
  }
  LiftedMlp mlp(gates, static_cast<std::size_t>(substrate.hidden), search);
  for (std::size_t i = 0; i < units; ++i) {
    const std::size_t u = mlp.gates_.original(i);
    mlp.units_.push_back({static_cast<std::uint32_t>(mlp.up_.size()),
                          static_cast<std::uint32_t>(mlp.down_.size()), ups[u].constant});
    for (const auto& [dim, factor] : ups[u].terms)
      mlp.up_.push_back({dim, static_cast<std::int16_t>(factor)});
    for (const Share& share : downs[u]) {
      mlp.down_.push_back(share);
      mlp.most_amount_ = std::max(mlp.most_amount_, std::fabs(static_cast<double>(share.amount)));
    }
  }
  mlp.units_.push_back({static_cast<std::uint32_t>(mlp.up_.size()),
                        static_cast<std::uint32_t>(mlp.down_.size()), 0});
  return mlp;
}

inline float LiftedMlp::upOf(std::size_t unit, const Residual& residual) const {
  float sum = units_[unit].up;
  for (std::uint32_t i = units_[unit].up_begin; i < units_[unit + 1].up_begin; ++i)
    sum += static_cast<float>(up_[i].amount) * residual[up_[i].dim];
  return sum;
}

// Whether no sum of the products' shares can reach 2^24.
bool LiftedMlp::isExact(float most_product) const {
  const double one = static_cast<double>(most_product) * most_amount_;
  if (one * static_cast<double>(products_.size()) < kExactSum) return true;
  double reach = 0;
  for (const auto& [unit, product] : products_)
    for (std::uint32_t i = units_[unit].down_begin; i < units_[unit + 1].down_begin; ++i)
      reach += std::fabs(static_cast<double>(product) * down_[i].amount);
  return reach < kExactSum;
}

bool LiftedMlp::addTo(Residual& residual) {
  if (!residual.settle()) return false;
  products_.clear();
  float most = 0;
  for (const auto& [unit, gate] : gates_.find(residual)) {
    const float product = static_cast<float>(gate) * upOf(unit, residual);
    if (product == 0.0f) continue;
    most = std::max(most, std::fabs(product));
    products_.push_back({unit, product});
  }
  if (!isExact(most)) return false;
  for (const auto& [unit, product] : products_)
    for (std::uint32_t i = units_[unit].down_begin; i < units_[unit + 1].down_begin; ++i)
      residual.add(down_[i].dim, product * static_cast<float>(down_[i].amount));
  return true;
}

}  // namespace qgpu::model
