// Whole rows one behind the other in memory, summed by what a residual stream holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/launch/residual.h"
#include "model/launch/whole_rows.h"

namespace qgpu::model {

class RowList {
 public:
  struct Term {
    std::uint16_t dim = 0;
    std::int16_t factor = 0;
  };

  void add(const WholeRow& row);
  std::size_t size() const { return constants_.size(); }
  std::int32_t constant(std::size_t row) const { return constants_[row]; }
  std::span<const Term> terms(std::size_t row) const {
    return std::span(terms_).subspan(starts_[row], starts_[row + 1] - starts_[row]);
  }
  // Of a settled residual stream.
  std::int32_t sum(std::size_t row, const Residual& residual) const {
    std::int32_t sum = constants_[row];
    for (const Term& t : terms(row)) sum += t.factor * static_cast<std::int32_t>(residual[t.dim]);
    return sum;
  }

 private:
  std::vector<std::int32_t> constants_;
  std::vector<std::uint32_t> starts_ = {0};
  std::vector<Term> terms_;
};

inline void RowList::add(const WholeRow& row) {
  constants_.push_back(static_cast<std::int32_t>(row.constant));
  for (const auto& [dim, factor] : row.terms)
    terms_.push_back({dim, static_cast<std::int16_t>(factor)});
  starts_.push_back(static_cast<std::uint32_t>(terms_.size()));
}

}  // namespace qgpu::model
