#include "compiler/circuit/primitives/address.h"

#include "compiler/circuit/primitives/testing.h"

namespace qgpu::circuit {
namespace {

using namespace testing;

TEST(AddressCircuit, AddsScalesAndChecksTheRange) {
  Net net;
  const Bus base = net.inputs("base", 32), index = net.inputs("index", 32);
  const Bus shift = net.inputs("shift", 3);
  const Address address =
      finishAddress(net, beginAddress(net, {shift[0], shift[1], shift[2]}, base, index));
  net.output(address.bits), net.output(address.inside);
  EXPECT_EQ(net.steps(), unitStep(1) + 1);
  std::vector<std::array<std::uint32_t, 3>> cases;
  Operands random(4);
  for (std::uint32_t s = 0; s < 4; ++s) {
    for (const auto& [a, b] : pairs(10'000, s)) cases.push_back({a, b, s});
    // Sums close to the range and to where a carry has to run through the upper bytes.
    for (int i = 0; i < 30'000; ++i) {
      const std::uint32_t b = random.word(), target = random.below(1100) - 300;
      cases.push_back({target - (b << (s % 3)), b, s});
      cases.push_back({(1u << random.below(32)) - (b << (s % 3)) + random.below(512), b, s});
    }
  }
  int inside = 0;
  sweep(
      net, cases,
      [&](auto& engine, int c, auto x) {
        engine.set(base, c, x[0]), engine.set(index, c, x[1]);
        engine.set(shift, c, x[2] < 3 ? 1u << x[2] : 0);
      },
      [&](auto& engine, int c, auto x) {
        const std::uint32_t expected = x[0] + (x[1] << x[2]);
        EXPECT_EQ(engine.get(address.bits, c), x[2] < 3 ? expected & 511 : 0);
        EXPECT_EQ(engine.get(address.inside, c), x[2] < 3 && expected < 512)
            << x[0] << " + " << x[1] << " << " << x[2];
        inside += x[2] < 3 && expected < 512;
      });
  EXPECT_GT(inside, 30'000);
}

}  // namespace
}  // namespace qgpu::circuit
