// What the tests of the primitives share: operands that provoke mistakes, and a loop that runs
// every case through an engine and compares.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "compiler/circuit/evaluator.h"
#include "compiler/circuit/float_machine.h"

namespace qgpu::circuit::testing {

inline const std::vector<std::uint32_t>& edges() {
  static const std::vector<std::uint32_t> kEdges = [] {
    std::vector<std::uint32_t> values = {0,          0x55555555, 0xaaaaaaaa, 0x01010101, 0x00ff00ff,
                                         0x7f7f7f7f, 0x80808080, 0x0f0f0f0f, 0xfffeffff};
    for (const unsigned bit : {0u, 1u, 3u, 4u, 5u, 7u, 8u, 15u, 16u, 23u, 24u, 30u, 31u})
      for (const std::uint32_t near : {(1u << bit) - 1, 1u << bit, (1u << bit) + 1, ~(1u << bit)})
        values.push_back(near);
    values.push_back(~0u);
    return values;
  }();
  return kEdges;
}

// Uniform, small, of either sign, sparse, dense, or near an edge.
class Operands {
 public:
  explicit Operands(std::uint32_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  std::uint32_t word() {
    const auto any = [&] { return static_cast<std::uint32_t>(random_()); };
    switch (below(7)) {
      case 0: return any() & 63;
      case 1: return 0 - (any() & 63);
      case 2: return any() & any() & any();
      case 3: return any() | any() | any();
      case 4: return edges()[below(static_cast<std::uint32_t>(edges().size()))] + below(3) - 1;
      case 5: return any() >> below(32);
      default: return any();
    }
  }

 private:
  std::mt19937_64 random_;
};

// All pairs of edges, then `random` pairs.
inline std::vector<std::array<std::uint32_t, 2>> pairs(int random, std::uint32_t seed = 1) {
  std::vector<std::array<std::uint32_t, 2>> cases;
  for (const std::uint32_t a : edges())
    for (const std::uint32_t b : edges()) cases.push_back({a, b});
  Operands operands(seed);
  for (int i = 0; i < random; ++i) cases.push_back({operands.word(), operands.word()});
  return cases;
}

// A FloatMachine that takes the evaluator's calls; it has one case at a time.
class FloatEngine {
 public:
  FloatEngine(const CompiledNet& compiled, FloatOptions options) : machine_(compiled, options) {}
  void set(Wire w, int, int value) { machine_.set(w, value); }
  void set(std::span<const Wire> bus, int, std::uint64_t value) { machine_.set(bus, value); }
  void pass() { machine_.pass(); }
  int get(Wire w, int) const { return machine_.get(w); }
  std::uint64_t get(std::span<const Wire> bus, int) const { return machine_.get(bus); }
  int inexact() const { return machine_.inexact(); }

 private:
  FloatMachine machine_;
};

// The compiled net, in binary32 and with bfloat16 roundings, on a sample of the cases.
template <typename Case, typename Set, typename Compare>
void sweepCompiled(const Net& net, const std::vector<Case>& cases, Set set, Compare compare,
                   std::size_t sample) {
  const Substrate substrate{.hidden = 2048,
                            .dims = 2048,
                            .intermediate = 6144,
                            .heads = 1,
                            .layers = layerOf(net.steps() - 1) + 1};
  const auto compiled = compile(net, substrate);
  ASSERT_TRUE(compiled) << compiled.error().message;
  for (const bool bfloat16 : {false, true}) {
    FloatEngine engine(*compiled, {.bfloat16 = bfloat16});
    for (std::size_t i = 0; i < sample; ++i) {
      // A stride without a common factor visits edges and random cases alike.
      const Case& x = cases[(i * 7919 + (bfloat16 ? 31 : 0)) % cases.size()];
      set(engine, 0, x);
      engine.pass();
      compare(engine, 0, x);
      ASSERT_EQ(engine.inexact(), 0);
    }
  }
}

// Runs each case in the exact evaluator: set(engine, lane, case) before, compare(engine, lane,
// case) after. Every promise that the evaluator watches must hold. Then a sample of the cases runs
// in the weights.
template <typename Case, typename Set, typename Compare>
void sweep(const Net& net, const std::vector<Case>& cases, Set set, Compare compare,
           std::size_t sample = 40) {
  Evaluator evaluator(net);
  for (std::size_t first = 0; first < cases.size(); first += Evaluator::kCases) {
    const auto n = static_cast<int>(std::min<std::size_t>(Evaluator::kCases, cases.size() - first));
    for (int c = 0; c < n; ++c) set(evaluator, c, cases[first + static_cast<std::size_t>(c)]);
    evaluator.pass();
    for (int c = 0; c < n; ++c) compare(evaluator, c, cases[first + static_cast<std::size_t>(c)]);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(evaluator.bad(), 0u) << evaluator.firstBad();
  sweepCompiled(net, cases, set, compare, sample);
}

}  // namespace qgpu::circuit::testing
