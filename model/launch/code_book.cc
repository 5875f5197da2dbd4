#include "model/launch/code_book.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace qgpu::model {
namespace {

constexpr std::size_t kMostFirstDims = 10;
using Sums = std::array<float, std::size_t{1} << kMostFirstDims>;

}  // namespace

CodeBook::CodeBook(const Unembedding& head)
    : head_(head),
      first_dims_(std::min(head.dims.size(), kMostFirstDims)),
      tokens_(std::size_t{1} << head.dims.size(), kNone) {
  for (std::size_t dims = first_dims_; dims <= head.dims.size(); ++dims)
    has_code_.emplace_back(std::size_t{1} << (dims - first_dims_));
  for (std::size_t id = head.codes.size(); id-- > 0;) {
    if (head.codes[id] == Unembedding::kNever) {
      codeless_ = static_cast<std::int32_t>(id);
      continue;
    }
    const auto code = static_cast<std::size_t>(head.codes[id]);
    tokens_[code] = static_cast<std::int32_t>(id);
    for (std::vector<bool>& has : has_code_) has[code >> first_dims_ & (has.size() - 1)] = true;
  }
}

// The best token so far, and the way through the dims after the first.
struct CodeBook::Search {
  const CodeBook& book;
  std::span<const float> x;
  std::int32_t token = 0;
  float logit = -INFINITY;

  // `code` has the bits of the first dims at 0 and of those after them up to `dims`; `sums` go with
  // it, for each setting of the first.
  void descend(std::size_t dims, std::size_t code, const Sums& sums) {
    if (!book.has_code_[dims - book.first_dims_][code >> book.first_dims_]) return;
    if (dims == book.head_.dims.size()) return look(code, sums);
    const float next = x[book.head_.dims[dims]];
    Sums longer;
    for (std::size_t i = 0; i < sums.size(); ++i) longer[i] = sums[i] - next;
    descend(dims + 1, code, longer);
    for (std::size_t i = 0; i < sums.size(); ++i) longer[i] = sums[i] + next;
    descend(dims + 1, code | std::size_t{1} << dims, longer);
  }

  void look(std::size_t code, const Sums& sums) {
    const std::size_t count = std::size_t{1} << book.first_dims_;
    const std::int32_t* tokens = book.tokens_.data() + code;
    int some = 0;
    for (std::size_t i = 0; i < count; ++i)
      some |= static_cast<int>(sums[i] >= logit) & static_cast<int>(tokens[i] >= 0);
    for (std::size_t i = 0; some != 0 && i < count; ++i)
      if (tokens[i] >= 0) take(tokens[i], sums[i]);
  }

  void take(std::int32_t candidate, float its_logit) {
    if (its_logit > logit || (its_logit == logit && candidate < token)) {
      token = candidate;
      logit = its_logit;
    }
  }
};

std::int32_t CodeBook::largestLogit(std::span<const float> x) const {
  Search search{*this, x};
  if (codeless_ != kNone) search.take(codeless_, 0.0f);
  Sums sums{};
  for (std::size_t i = 0; i < first_dims_; ++i)
    for (std::size_t code = 0, half = std::size_t{1} << i; code < half; ++code) {
      sums[half + code] = sums[code] + x[head_.dims[i]];
      sums[code] -= x[head_.dims[i]];
    }
  search.descend(first_dims_, 0, sums);
  return search.token;
}

}  // namespace qgpu::model
