// The largest of all logits, against every one of them by its definition.
#include "model/launch/code_book.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace qgpu::model {
namespace {

std::int32_t byDefinition(const Unembedding& head, const std::vector<float>& x) {
  std::size_t best = 0;
  float most = -INFINITY;
  for (std::size_t id = 0; id < head.codes.size(); ++id) {
    float logit = 0;
    for (std::size_t i = 0; i < head.dims.size() && head.codes[id] >= 0; ++i)
      logit += (head.codes[id] >> i & 1) != 0 ? x[head.dims[i]] : -x[head.dims[i]];
    if (logit > most) most = logit, best = id;
  }
  return static_cast<std::int32_t>(best);
}

RC_GTEST_PROP(CodeBook, FindsTheFirstOfTheLargestLogits, (unsigned seed)) {
  std::mt19937 random(seed);
  const std::size_t dims = 1 + random() % 13;
  Unembedding head;
  for (std::size_t i = 0; i < dims; ++i) head.dims.push_back(static_cast<std::uint16_t>(2 * i));
  for (std::int32_t code = 0; code < 1 << dims; ++code)
    if (random() % 3 == 0) head.codes.push_back(code);
  for (std::size_t n = random() % 3; n > 0; --n) head.codes.push_back(Unembedding::kNever);
  head.codes.push_back(Unembedding::kNever);
  std::shuffle(head.codes.begin(), head.codes.end(), random);
  const CodeBook book(head);
  // Many equal logits; sums that depend on their order; no numbers.
  const int kind = static_cast<int>(random() % 3);
  std::vector<float> x(2 * dims);
  for (float& value : x) {
    value = static_cast<float>(static_cast<int>(random() % 5) - 2);
    if (kind > 0) value *= std::ldexp(1.0f, static_cast<int>(random() % 40));
    if (kind > 1 && random() % 20 == 0) value = std::numeric_limits<float>::quiet_NaN();
  }
  RC_ASSERT(book.largestLogit(x) == byDefinition(head, x));
  for (std::size_t id = 0; id < head.codes.size(); ++id)
    if (head.codes[id] >= 0)
      RC_ASSERT(book.token(static_cast<std::uint32_t>(head.codes[id])) ==
                static_cast<std::int32_t>(id));
}

}  // namespace
}  // namespace qgpu::model
