#include "compiler/circuit/primitives/adder.h"

#include "compiler/circuit/primitives/testing.h"

namespace qgpu::circuit {
namespace {

using namespace testing;

struct Adder {
  Net net;
  Bus a = net.inputs("a", 32), b = net.inputs("b", 32), out = net.wires("out", 32);
  Wire enable = net.input("enable"), carry_in = net.input("carry_in");
  Wire carry = net.wire("carry"), signed_carry = net.wire("signed_carry");
  Wire above = net.wire("above"), equal = net.wire("equal");
  Adder() {
    const ByteSums sums = sumBytes(net, enable, a, b);
    addSum(net, sums, {}, carry_in, out);
    addCarry(net, sums, {}, carry_in, carry);
    addSignedCarry(net, sums, {}, carry_in, signed_carry);
    addCarry(net, sums, {}, std::nullopt, above);
    addComplement(net, sums, {}, equal);
    for (const Wire w : {carry, signed_carry, above, equal}) net.output(w);
    net.output(out);
  }
};

TEST(AdderCircuit, AddsWithEveryFlag) {
  const Adder adder;
  int carries = 0, equals = 0;
  sweep(
      adder.net, pairs(60'000),
      [&](auto& engine, int c, auto operands) {
        const auto [a, b] = operands;
        engine.set(adder.a, c, a), engine.set(adder.b, c, b);
        engine.set(adder.enable, c, (a ^ b) % 13 != 5);
        engine.set(adder.carry_in, c, (a ^ b) % 13 != 5 && (a ^ b >> 3) & 1);
      },
      [&](auto& engine, int c, auto operands) {
        const auto [a, b] = operands;
        const std::uint64_t in = (a ^ b >> 3) & 1, wide = std::uint64_t{a} + b + in;
        const std::int64_t signed_sum = std::int64_t{static_cast<std::int32_t>(a)} +
                                        static_cast<std::int32_t>(b) +
                                        static_cast<std::int64_t>(in);
        const bool on = (a ^ b) % 13 != 5;
        EXPECT_EQ(engine.get(adder.out, c), on ? wide & 0xffffffff : 0) << a << " + " << b;
        EXPECT_EQ(engine.get(adder.carry, c), on && wide >> 32);
        EXPECT_EQ(engine.get(adder.signed_carry, c), on && signed_sum >= 0) << a << " + " << b;
        EXPECT_EQ(engine.get(adder.above, c), on && (std::uint64_t{a} + b) >> 32);
        EXPECT_EQ(engine.get(adder.equal, c), on && a == ~b);
        carries += on && wide >> 32, equals += on && a == ~b;
      });
  EXPECT_GT(carries, 20'000);
  EXPECT_GT(equals, 20);
}

TEST(AdderCircuit, TakesTwoLayers) {
  const Adder adder;
  EXPECT_EQ(adder.net.steps(), unitStep(1) + 1);
}

}  // namespace
}  // namespace qgpu::circuit
