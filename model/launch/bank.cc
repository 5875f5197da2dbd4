#include "model/launch/bank.h"

#include <algorithm>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "interpreter/base/failure.h"

namespace qgpu::model {

Bank::Bank(std::vector<WholeRow> rows, std::size_t hidden, const BankOptions& options)
    : options_(options), starts_(hidden + 1), reached_(hidden) {
  const std::size_t groups = (rows.size() + kGroup - 1) / kGroup;
  check(groups <= kMostGroups, "a bank's rows fit its groups");
  constants_.resize(groups * kGroup);
  for (const WholeRow& row : rows)
    for (const auto& [dim, factor] : row.terms) ++starts_[dim + 1u];
  for (std::size_t d = 0; d < hidden; ++d) starts_[d + 1] += starts_[d];
  rows_.resize(starts_.back());
  factors_.resize(starts_.back());
  std::vector<std::uint32_t> at(starts_.begin(), starts_.end() - 1);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    constants_[r] = rows[r].constant;
    if (constants_[r] > 0) always_.insert(r / kGroup);
    for (const auto& [dim, factor] : rows[r].terms) {
      rows_[at[dim]] = static_cast<std::uint16_t>(r);
      factors_[at[dim]++] = factor;
      reached_[dim].insert(r / kGroup);
    }
  }
  if (!options.skip_idle || !options.fold_constants) always_.insertAll(groups);
  start_ = options.fold_constants ? constants_ : std::vector<float>(constants_.size());
  sums_ = start_;
  touched_ = always_;
}

void Bank::gather(const Residual& residual) {
  float* const sums = sums_.data();
  for (const std::uint16_t dim : residual.active()) {
    const std::uint32_t end = starts_[dim + 1u];
    if (const float x = residual[dim]; x == 1.0f)
      for (std::uint32_t i = starts_[dim]; i < end; ++i) sums[rows_[i]] += factors_[i];
    else
      for (std::uint32_t i = starts_[dim]; i < end; ++i) sums[rows_[i]] += factors_[i] * x;
    touched_ |= reached_[dim];
  }
  if (!options_.fold_constants)
    for (std::size_t r = 0; r < sums_.size(); ++r) sums[r] += constants_[r];
}

void Bank::restore() {
  touched_.forEach([&](std::size_t group) {
    std::copy_n(start_.begin() + static_cast<std::ptrdiff_t>(group * kGroup), kGroup,
                sums_.begin() + static_cast<std::ptrdiff_t>(group * kGroup));
  });
  touched_ = always_;
}

std::uint64_t positiveRows(std::span<const float> sums, std::size_t group) {
  const float* const s = sums.data() + group * kGroup;
  std::uint64_t rows = 0;
#ifdef __SSE2__
  const __m128 zero = _mm_setzero_ps();
  for (int i = 0; i < 64; i += 4)
    rows |= static_cast<std::uint64_t>(_mm_movemask_ps(_mm_cmpgt_ps(_mm_loadu_ps(s + i), zero)))
            << i;
#else
  for (int i = 0; i < 64; ++i) rows |= static_cast<std::uint64_t>(s[i] > 0) << i;
#endif
  return rows;
}

}  // namespace qgpu::model
