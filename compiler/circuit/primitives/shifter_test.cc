#include "compiler/circuit/primitives/shifter.h"

#include "compiler/circuit/primitives/testing.h"

namespace qgpu::circuit {
namespace {

using namespace testing;

std::uint32_t shifted(int op, std::uint32_t a, std::uint32_t n) {
  switch (op) {
    case 0: return n < 32 ? a << n : 0;
    case 1: return n < 32 ? a >> n : 0;
    case 2: return static_cast<std::uint32_t>(static_cast<std::int32_t>(a) >> std::min(n, 31u));
    case 3: return std::rotl(a, static_cast<int>(n % 32));
    default: return 0;
  }
}

TEST(ShifterCircuit, ShiftsRotatesAndClamps) {
  Net net;
  const Bus a = net.inputs("a", 32), n = net.inputs("n", 32), out = net.wires("out", 32);
  const Wire active = net.input("active");
  const Bus op = net.inputs("op", 4);  // left, right, rotate left, sign fill
  const Shift shift = beginShift(net, {active, op[0], op[1], op[2], op[3]}, a,
                                 std::span(n).first(5), std::span(n).last(27));
  addShift(net, shift, out);
  net.output(out);
  EXPECT_EQ(net.steps(), unitStep(1) + 1);
  std::vector<std::array<std::uint32_t, 3>> cases;
  Operands random(3);
  for (std::uint32_t kind = 0; kind < 5; ++kind) {
    for (const auto& [x, y] : pairs(8'000, kind)) cases.push_back({kind, x, y});
    for (std::uint32_t amount = 0; amount < 64; ++amount)
      for (int i = 0; i < 20; ++i) cases.push_back({kind, random.word(), amount});
  }
  constexpr unsigned kOp[] = {0b0001, 0b0010, 0b1010, 0b0100, 0};
  sweep(
      net, cases,
      [&](auto& engine, int c, auto x) {
        const bool right = x[0] == 1 || x[0] == 2;
        engine.set(a, c, x[1]), engine.set(n, c, right ? x[2] ^ 31 : x[2]);
        engine.set(op, c, kOp[x[0]]), engine.set(active, c, x[0] < 4);
      },
      [&](auto& engine, int c, auto x) {
        EXPECT_EQ(engine.get(out, c), shifted(static_cast<int>(x[0]), x[1], x[2]))
            << x[0] << " " << x[1] << " by " << x[2];
      });
}

}  // namespace
}  // namespace qgpu::circuit
