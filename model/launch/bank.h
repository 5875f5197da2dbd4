// The sums of many rows over a residual stream that is mostly zero.
//
// A bank holds rows in whole units (one row, one gate), each a constant and integer factors of
// dims. It starts every token from the constants and adds the columns of the dims that are not
// zero. Rows stand in groups of 64; a group that no such column reaches still holds its constants,
// so whoever reads the sums looks only at the groups of `touched()`.
//
//   bank.gather(residual);
//   for each group in bank.touched(): use bank.sums() there
//   bank.restore();
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/launch/residual.h"
#include "model/weights/layer_weights.h"

namespace qgpu::model {

inline constexpr std::size_t kGroup = 64;
inline constexpr std::size_t kMostGroups = 128;

// A set of groups.
class GroupSet {
 public:
  void insert(std::size_t group) { words_[group / 64] |= std::uint64_t{1} << group % 64; }
  void insertAll(std::size_t groups) {
    for (std::size_t g = 0; g < groups; ++g) insert(g);
  }
  GroupSet& operator|=(const GroupSet& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    return *this;
  }
  template <typename Use>
  void forEach(Use use) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1)
        use(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
  }

 private:
  std::array<std::uint64_t, kMostGroups / 64> words_{};
};

// A row in units of its own: constant + sum of factor * dim, all of them integers, and below 2^24
// together.
struct WholeRow {
  static constexpr float kMostFactor = 32767;
  float constant = 0;
  std::vector<std::pair<std::uint16_t, float>> terms;
};

struct BankOptions {
  bool fold_constants = true;  // off: constants are added with every token, like any other column
  bool skip_idle = true;       // off: every group counts as touched
};

class Bank {
 public:
  Bank(std::vector<WholeRow> rows, std::size_t hidden, const BankOptions& options);

  void gather(const Residual& residual);
  // Groups that changed, and those that have a positive constant.
  const GroupSet& touched() const { return touched_; }
  // Makes a group count as touched, for whoever changes sums itself.
  void touch(std::size_t group) { touched_.insert(group); }
  std::span<std::int32_t> sums() { return sums_; }
  std::span<const std::int32_t> sums() const { return sums_; }
  void restore();

 private:
  BankOptions options_;
  // One number of a column. Small, because reading them takes most of a token's time.
  struct Term {
    std::uint16_t row = 0;
    std::int16_t factor = 0;
  };

  std::vector<std::int32_t> constants_, start_, sums_;
  std::vector<std::uint32_t> starts_;  // of each dim's column
  std::vector<Term> terms_;
  std::vector<GroupSet> reached_;  // by each dim
  GroupSet always_, touched_;
};

// The rows of a bank that are worth more than 0 in a group: bit i is row 64 * group + i.
std::uint64_t positiveRows(std::span<const std::int32_t> sums, std::size_t group);

}  // namespace qgpu::model
