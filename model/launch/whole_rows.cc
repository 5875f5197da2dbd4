#include "model/launch/whole_rows.h"

#include <algorithm>
#include <cmath>

#include "model/layers/elementwise.h"

namespace qgpu::model {
namespace {

constexpr double kExact = 16777216.0;  // 2^24
constexpr float kNormEps = 1e-6f;

bool isPowerOfTwo(float x) {
  int exponent = 0;
  return x > 0 && std::frexp(x, &exponent) == 0.5f;
}

}  // namespace

bool isWhole(double x) { return x == std::floor(x) && std::fabs(x) < kExact; }

std::optional<WholeRows> WholeRows::behind(const std::vector<bfloat16>& norm,
                                           std::span<const Entry> constants,
                                           const Substrate& substrate) {
  WholeRows rows;
  const auto hidden = static_cast<std::size_t>(substrate.hidden);
  rows.constant_.resize(hidden);
  float sum = 0;
  bool has_big = false;
  for (const Entry& e : constants) {
    rows.constant_[e.column] = e.value;
    if (e.value != kBig && std::fabs(e.value) > Residual::kMost) return std::nullopt;
    has_big = has_big || e.value == kBig;
    if (e.value == kBig) sum += e.value * e.value;
  }
  // Half a unit in the last place of BIG^2 = 2^52 is 2^28.
  if (!has_big ||
      static_cast<float>(substrate.dims) * Residual::kMost * Residual::kMost >= 268435456.0f)
    return std::nullopt;
  rows.scale_ = reciprocalSqrt(sum / static_cast<float>(hidden) + kNormEps);
  if (!isPowerOfTwo(rows.scale_)) return std::nullopt;
  for (const bfloat16 w : norm) {
    rows.gain_.push_back(1.0f + toFloat(w));
    if (rows.gain_.back() != 0.0f && rows.gain_.back() != 1.0f) return std::nullopt;
  }
  return rows;
}

// The row in whole multiples of `quantum`, any sum of which is exact.
std::optional<WholeRow> WholeRows::inQuanta(const SparseMatrix& matrix, std::size_t r,
                                            double quantum, double most_factor) const {
  WholeRow whole;
  double constant = 0, reach = 0;
  const auto columns = matrix.rowColumns(r);
  const auto values = matrix.rowValues(r);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::uint16_t dim = columns[i];
    const double factor = static_cast<double>(toFloat(values[i])) * scale_ / quantum * gain_[dim];
    const double share = isConstant(dim) ? factor * constant_[dim] : factor;
    if (share == 0) continue;
    if (!isWhole(share)) return std::nullopt;
    reach += std::fabs(share) * (isConstant(dim) ? 1 : Residual::kMost);
    if (isConstant(dim))
      constant += share;
    else if (std::fabs(share) <= most_factor)
      whole.terms.emplace_back(dim, static_cast<float>(share));
    else
      return std::nullopt;
  }
  if (reach >= kExact) return std::nullopt;
  whole.constant = static_cast<float>(constant);
  return whole;
}

// A constant may be split over dims in parts that are not multiples of the unit themselves.
std::optional<WholeRow> WholeRows::row(const SparseMatrix& matrix, std::size_t r,
                                       float unit) const {
  if (auto whole = inQuanta(matrix, r, unit, WholeRow::kMostFactor)) return whole;
  auto whole = inQuanta(matrix, r, 1.0, kExact);
  if (!whole) return std::nullopt;
  whole->constant /= unit;
  bool is_whole = isWhole(whole->constant);
  for (auto& [dim, factor] : whole->terms) {
    factor /= unit;
    is_whole = is_whole && isWhole(factor) && std::fabs(factor) <= WholeRow::kMostFactor;
  }
  return is_whole ? whole : std::nullopt;
}

std::optional<float> WholeRows::constantRow(const SparseMatrix& matrix, std::size_t r) const {
  const auto whole = row(matrix, r, 1.0f);
  if (!whole || !whole->terms.empty()) return std::nullopt;
  return whole->constant;
}

}  // namespace qgpu::model
