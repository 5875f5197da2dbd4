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
  terms_.resize(starts_.back());
  std::vector<std::uint32_t> at(starts_.begin(), starts_.end() - 1);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    constants_[r] = static_cast<std::int32_t>(rows[r].constant);
    if (constants_[r] > 0) always_.insert(r / kGroup);
    for (const auto& [dim, factor] : rows[r].terms) {
      terms_[at[dim]++] = {static_cast<std::uint16_t>(r), static_cast<std::int16_t>(factor)};
      reached_[dim].insert(r / kGroup);
    }
  }
  if (!options.skip_idle || !options.fold_constants) always_.insertAll(groups);
  start_ = options.fold_constants ? constants_ : std::vector<std::int32_t>(constants_.size());
  sums_ = start_;
  touched_ = always_;
}

void Bank::gather(const Residual& residual) {
  std::int32_t* const sums = sums_.data();
  for (const std::uint16_t dim : residual.active()) {
    const Term* const end = terms_.data() + starts_[dim + 1u];
    if (const float x = residual[dim]; x == 1.0f) {
      for (const Term* t = terms_.data() + starts_[dim]; t != end; ++t) sums[t->row] += t->factor;
    } else {
      const auto times = static_cast<std::int32_t>(x);
      for (const Term* t = terms_.data() + starts_[dim]; t != end; ++t)
        sums[t->row] += t->factor * times;
    }
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

std::uint64_t positiveRows(std::span<const std::int32_t> sums, std::size_t group) {
  const std::int32_t* const s = sums.data() + group * kGroup;
  std::uint64_t rows = 0;
#ifdef __SSE2__
  const __m128i zero = _mm_setzero_si128();
  for (int i = 0; i < 64; i += 4) {
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(s + i));
    const int positive = _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpgt_epi32(four, zero)));
    rows |= static_cast<std::uint64_t>(positive) << i;
  }
#else
  for (int i = 0; i < 64; ++i) rows |= static_cast<std::uint64_t>(s[i] > 0) << i;
#endif
  return rows;
}

}  // namespace qgpu::model
