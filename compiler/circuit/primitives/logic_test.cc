#include "compiler/circuit/primitives/logic.h"

#include "compiler/circuit/primitives/testing.h"

namespace qgpu::circuit {
namespace {

using namespace testing;

// Every function of two bits, its four coefficients on wires.
TEST(LogicCircuit, AnyFunctionOfTwoBits) {
  Net net;
  const Bus a = net.inputs("a", 32), b = net.inputs("b", 32), out = net.wires("out", 32);
  const Wire enable = net.input("enable"), constant = net.input("constant");
  const Wire left = net.input("left", integer(-1, 1)), right = net.input("right", integer(-1, 1));
  const Wire both = net.input("both", integer(-2, 2));
  addBitwise(net, enable, {constant, left, right, both}, a, b, out);
  net.output(out);
  EXPECT_EQ(net.units().size(), 3u * 32 + 1);
  for (int table = 0; table < 16; ++table) {
    const auto f = [table](int x, int y) { return table >> (x + 2 * y) & 1; };
    sweep(
        net, pairs(500, static_cast<std::uint32_t>(table)),
        [&](auto& engine, int c, auto operands) {
          engine.set(a, c, operands[0]), engine.set(b, c, operands[1]);
          engine.set(enable, c, 1), engine.set(constant, c, f(0, 0));
          engine.set(left, c, f(1, 0) - f(0, 0)), engine.set(right, c, f(0, 1) - f(0, 0));
          engine.set(both, c, f(1, 1) - f(1, 0) - f(0, 1) + f(0, 0));
        },
        [&](auto& engine, int c, auto operands) {
          std::uint64_t expected = 0;
          for (int i = 0; i < 32; ++i)
            expected |= std::uint64_t(f(operands[0] >> i & 1, operands[1] >> i & 1)) << i;
          EXPECT_EQ(engine.get(out, c), expected) << table;
        });
  }
}

TEST(LogicCircuit, DecodesEveryNumber) {
  Net net;
  const Bus bits = net.inputs("bits", 5);
  const Wire enable = net.input("enable");
  Bus hot;
  for (unsigned i = 0; i < 32; ++i) hot.push_back(decode(net, "hot", enable, bits, i));
  net.output(hot);
  std::vector<int> numbers(64);
  for (int i = 0; i < 64; ++i) numbers[static_cast<std::size_t>(i)] = i;
  sweep(
      net, numbers,
      [&](auto& engine, int c, int n) {
        engine.set(bits, c, n & 31), engine.set(enable, c, n >> 5);
      },
      [&](auto& engine, int c, int n) {
        EXPECT_EQ(engine.get(hot, c), n >= 32 ? std::uint64_t{1} << (n & 31) : 0);
      });
}

}  // namespace
}  // namespace qgpu::circuit
