#include "compiler/circuit/primitives/functions.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "compiler/circuit/primitives/testing.h"

namespace qgpu::circuit {
namespace {

using namespace testing;

// Random functions on random intervals, over forms with negative factors.
RC_GTEST_PROP(Functions, AreExactOnTheWholeRange, ()) {
  const int low = *rc::gen::inRange(-60, 1), high = low + *rc::gen::inRange(1, 60);
  const auto table = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(high - low + 1),
                                                           rc::gen::inRange(-20, 20));
  Net net;
  const Wire plus = net.input("plus", integer(0, high)),
             minus = net.input("minus", integer(0, -low));
  const Wire out = net.wire("out", integer(-20, 20));
  const Wire enable = net.input("enable");
  const auto f = [&](int n) { return table[static_cast<std::size_t>(n - low)]; };
  if (high <= 0) return;
  addFunction(net, out, enable, Form(plus) - minus, f);
  net.output(out);
  RC_ASSERT(net.units().size() <= static_cast<std::size_t>(high - low) + 1);
  Evaluator evaluator(net);
  for (int n = low; n <= high; ++n)
    for (int on = 0; on < 2; ++on) {
      evaluator.set(plus, on, std::max(n, 0)), evaluator.set(minus, on, std::max(-n, 0));
      evaluator.set(enable, on, on);
      if (on == 0) continue;
      evaluator.pass();
      RC_ASSERT(evaluator.get(out, 0) == 0);
      RC_ASSERT(evaluator.get(out, 1) == f(n));
    }
  RC_ASSERT(evaluator.bad() == 0u);
}

TEST(Functions, WideRangesAreTakenFromBothSides) {
  Net net;
  const Bus a = net.inputs("a", 8), b = net.inputs("b", 8);
  const Wire top = net.wire("top");
  addFunction(net, top, {}, number(a) + number(b), [](int n) { return n >> 7 & 1; });
  net.output(top);
  sweep(
      net, pairs(2'000),
      [&](auto& engine, int c, auto x) {
        engine.set(a, c, x[0] & 255), engine.set(b, c, x[1] & 255);
      },
      [&](auto& engine, int c, auto x) {
        EXPECT_EQ(engine.get(top, c), ((x[0] & 255) + (x[1] & 255)) >> 7 & 1);
      });
}

TEST(Functions, OfOneFormShareTheirKinks) {
  Net net;
  const Bus word = net.inputs("word", 32), out = net.wires("out", 6);
  addBits(net, out, {}, count(word));
  net.output(out);
  EXPECT_EQ(net.units().size(), 32u);
  sweep(
      net, pairs(2'000), [&](auto& engine, int c, auto x) { engine.set(word, c, x[0] ^ x[1]); },
      [&](auto& engine, int c, auto x) {
        EXPECT_EQ(engine.get(out, c), static_cast<unsigned>(std::popcount(x[0] ^ x[1])));
      });
}

}  // namespace
}  // namespace qgpu::circuit
