#include "model/layers/linear.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace qgpu::model {
namespace {

// The order of summation as the header states it, one scalar at a time.
float dotByDefinition(const std::vector<float>& a, const std::vector<float>& b) {
  float lanes[16] = {};
  for (std::size_t i = 0; i < a.size(); ++i) lanes[i % 16] += a[i] * b[i];
  for (std::size_t half = 8; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  return lanes[0];
}

struct Sizes {
  std::size_t rows, cols, tokens;
};
Sizes anySizes(std::mt19937& random) {
  const auto upTo = [&](std::size_t n) { return random() % n; };
  return {1 + upTo(70), 1 + upTo(random() % 2 ? 20 : 200), 1 + upTo(9)};
}

// Values of mixed size, so that another order would give other bits.
std::vector<float> anyValues(std::size_t count, std::mt19937& random) {
  std::vector<float> values(count);
  for (float& v : values)
    v = std::ldexp(static_cast<float>(static_cast<int>(random() % 4097) - 2048),
                   static_cast<int>(random() % 24) - 12);
  return values;
}

std::vector<float> part(const std::vector<float>& v, std::size_t first, std::size_t count) {
  return {v.begin() + static_cast<std::ptrdiff_t>(first),
          v.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

bool sameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

using Multiply = void (*)(const WeightView&, const Product&);

std::vector<float> run(Multiply multiplyBuild, const WeightView& w, const std::vector<float>& x,
                       std::size_t tokens) {
  std::vector<float> y(tokens * w.rows());
  multiplyBuild(w, {x.data(), w.cols(), tokens, y.data(), w.rows()});
  return y;
}

RC_GTEST_PROP(Linear, EveryBuildFollowsTheStatedOrder, (unsigned seed)) {
  std::mt19937 random(seed);
  const Sizes n = anySizes(random);
  const std::vector<float> wide = anyValues(n.rows * n.cols, random);
  const std::vector<float> x = anyValues(n.tokens * n.cols, random);
  std::vector<bfloat16> narrow;
  std::vector<float> widened;
  for (const float w : wide) {
    narrow.push_back(toBfloat16(w));
    widened.push_back(toFloat(narrow.back()));
  }
  for (const bool bf16 : {false, true}) {
    std::vector<float> expected(n.tokens * n.rows);
    for (std::size_t t = 0; t < n.tokens; ++t)
      for (std::size_t r = 0; r < n.rows; ++r)
        expected[t * n.rows + r] = dotByDefinition(part(bf16 ? widened : wide, r * n.cols, n.cols),
                                                   part(x, t * n.cols, n.cols));
    const WeightView w =
        bf16 ? WeightView(narrow.data(), n.rows, n.cols) : WeightView(wide.data(), n.rows, n.cols);
    RC_ASSERT(sameBits(run(multiplyPortable, w, x, n.tokens), expected));
    if (hasAvx2()) RC_ASSERT(sameBits(run(multiplyAvx2, w, x, n.tokens), expected));
    RC_ASSERT(sameBits(run(multiply, w, x, n.tokens), expected));
  }
}

RC_GTEST_PROP(Linear, CompressedRowsGiveTheBitsOfDenseOnes, (unsigned seed)) {
  std::mt19937 random(seed);
  Sizes n = anySizes(random);
  n.tokens += random() % 3 * 8;  // the eights side by side, and those left over
  std::vector<bfloat16> dense(n.rows * n.cols), values;
  std::vector<std::uint32_t> starts = {0};
  std::vector<std::uint16_t> columns;
  for (std::size_t i = 0; i < dense.size(); ++i) {
    if (const float v = anyValues(1, random)[0]; random() % 4 == 0 && v != 0) {
      dense[i] = toBfloat16(v);
      values.push_back(dense[i]);
      columns.push_back(static_cast<std::uint16_t>(i % n.cols));
    }
    if ((i + 1) % n.cols == 0) starts.push_back(static_cast<std::uint32_t>(values.size()));
  }
  const std::vector<float> x = anyValues(n.tokens * n.cols, random);
  const WeightView compressed({starts.data(), columns.data(), values.data()}, n.rows, n.cols);
  const WeightView view(dense.data(), n.rows, n.cols);
  const std::vector<float> expected = run(multiply, view, x, n.tokens);
  RC_ASSERT(sameBits(run(multiply, compressed, x, n.tokens), expected));
  RC_ASSERT(sameBits(run(multiplyPortable, compressed, x, n.tokens), expected));
  if (hasAvx2()) RC_ASSERT(sameBits(run(multiplyAvx2, compressed, x, n.tokens), expected));
  const std::size_t last = n.rows - 1;
  RC_ASSERT(sameBits(run(multiply, compressed.rowRange(last, 1), x, n.tokens),
                     run(multiply, view.rowRange(last, 1), x, n.tokens)));
  for (std::size_t i = 0; i < dense.size(); ++i) RC_ASSERT(compressed.at(i) == view.at(i));
}

RC_GTEST_PROP(Linear, AppendedZeroColumnsChangeNothing, (unsigned seed)) {
  std::mt19937 random(seed);
  const std::vector<float> a = anyValues(1 + random() % 100, random);
  const std::vector<float> b = anyValues(a.size(), random);
  std::vector<float> longer_a = a;
  std::vector<float> longer_b = b;
  longer_a.resize(4 * a.size(), 0.0f);
  longer_b.resize(4 * a.size(), -3.0f);
  RC_ASSERT(dot(a, b) == dot(longer_a, longer_b));
}

TEST(Linear, ThreadsAndRoundingAsStated) {
  std::mt19937 random(7);
  const std::size_t rows = 700;
  const std::size_t cols = 96;
  const std::vector<float> weights = anyValues(rows * cols, random);
  const std::vector<float> inputs = anyValues(5 * cols, random);
  Activations x = activations(5, cols);
  std::copy(inputs.begin(), inputs.end(), x.data());
  const WeightView w(weights.data(), rows, cols);
  Workers one(1);
  Workers three(3);
  Activations y1;
  Activations y3;
  Activations rounded_y;
  linear<Rounding::Float32>(w, x, y1, one);
  linear<Rounding::Float32>(w, x, y3, three);
  linear<Rounding::Bfloat16>(w, x, rounded_y, three);
  EXPECT_EQ(y1, y3);
  for (Eigen::Index i = 0; i < y1.size(); ++i)
    ASSERT_EQ(rounded_y.data()[i], roundToBfloat16(y1.data()[i]));
}

TEST(Linear, TheOrderMatters) {  // the generator above can tell orders apart
  std::mt19937 random(1);
  const std::vector<float> a = anyValues(200, random);
  const std::vector<float> b = anyValues(200, random);
  float sequential = 0.0f;
  for (std::size_t i = 0; i < a.size(); ++i) sequential += a[i] * b[i];
  EXPECT_NE(sequential, dot(a, b));
}

}  // namespace
}  // namespace qgpu::model
