// A set of a residual stream's dims, made for asking what two sets have in common, which is mostly
// little: a summary says which words of 64 dims have any.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace qgpu::model {

class DimSet {
 public:
  explicit DimSet(std::size_t hidden)
      : words_((hidden + 63) / 64), summary_((hidden + 4095) / 4096) {}

  void insert(std::size_t dim) {
    words_[dim / 64] |= std::uint64_t{1} << dim % 64;
    summary_[dim / 4096] |= std::uint64_t{1} << dim / 64 % 64;
  }
  bool has(std::size_t dim) const { return (words_[dim / 64] >> dim % 64 & 1) != 0; }
  void put(std::size_t dim, bool in) { in ? insert(dim) : erase(dim); }
  void erase(std::size_t dim) {
    words_[dim / 64] &= ~(std::uint64_t{1} << dim % 64);
    if (words_[dim / 64] == 0) summary_[dim / 4096] &= ~(std::uint64_t{1} << dim / 64 % 64);
  }
  void clear() {
    std::ranges::fill(words_, std::uint64_t{0});
    std::ranges::fill(summary_, std::uint64_t{0});
  }

  bool meets(const DimSet& other) const {
    std::uint64_t common = 0;
    forEachWord(other, [&](std::size_t, std::uint64_t dims) { common |= dims; });
    return common != 0;
  }
  // use(dim) for each dim that both have, ascending.
  template <typename Use>
  void forEachIn(const DimSet& other, Use use) const {
    forEachWord(other, [&](std::size_t word, std::uint64_t dims) {
      for (; dims != 0; dims &= dims - 1)
        use(word * 64 + static_cast<std::size_t>(std::countr_zero(dims)));
    });
  }
  template <typename Use>
  void forEach(Use use) const {
    forEachIn(*this, use);
  }
  // use(dim) for each dim, and empties the set.
  template <typename Use>
  void drain(Use use) {
    forEachIn(*this, use);
    for (std::size_t s = 0; s < summary_.size(); ++s)
      for (; summary_[s] != 0; summary_[s] &= summary_[s] - 1)
        words_[s * 64 + static_cast<std::size_t>(std::countr_zero(summary_[s]))] = 0;
  }

 private:
  template <typename Use>
  void forEachWord(const DimSet& other, Use use) const {
    for (std::size_t s = 0; s < summary_.size(); ++s)
      for (std::uint64_t left = summary_[s] & other.summary_[s]; left != 0; left &= left - 1) {
        const std::size_t word = s * 64 + static_cast<std::size_t>(std::countr_zero(left));
        use(word, words_[word] & other.words_[word]);
      }
  }

  std::vector<std::uint64_t> words_, summary_;
};

}  // namespace qgpu::model
