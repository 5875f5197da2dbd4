#include "compiler/circuit/primitives/divider.h"

#include "compiler/circuit/primitives/testing.h"

namespace qgpu::circuit {
namespace {

using namespace testing;

struct Division {
  Net net;
  Bus a = net.inputs("a", 32), b = net.inputs("b", 32);
  Wire active = net.input("active"), is_signed = net.input("is_signed");
  Bus quotient = net.wires("quotient", 32), remainder = net.wires("remainder", 32);
  Division() {
    const Mode mode = net.mode("division", active);
    {
      const auto within = net.within(mode);
      addDivision(net, active, is_signed, a, b, quotient, remainder);
    }
    net.output(quotient), net.output(remainder);
  }
};

struct DivisionCase {
  std::uint32_t a, b;
  int kind;  // 0 unsigned, 1 signed, 2 idle
};

std::pair<std::uint32_t, std::uint32_t> divided(const DivisionCase& x) {
  if (x.kind == 2) return {0, 0};
  if (x.b == 0) return {~0u, ~0u};
  if (x.kind == 0) return {x.a / x.b, x.a % x.b};
  const std::int64_t a = static_cast<std::int32_t>(x.a), b = static_cast<std::int32_t>(x.b);
  return {static_cast<std::uint32_t>(a / b), static_cast<std::uint32_t>(a % b)};
}

TEST(DividerCircuit, DividesSignedAndUnsigned) {
  const Division division;
  EXPECT_EQ(division.net.steps(), unitStep(37) + 1);
  std::vector<DivisionCase> cases;
  Operands random(11);
  for (int kind = 0; kind < 3; ++kind) {
    for (const auto& [a, b] : pairs(8'000, static_cast<std::uint32_t>(kind)))
      cases.push_back({a, b, kind});
    // Quotients of every size, exact and off by one.
    for (int i = 0; i < 8'000; ++i) {
      const std::uint32_t b = random.word() >> random.below(32),
                          q = random.word() >> random.below(32);
      cases.push_back({b * q + random.below(3) - 1, b, kind});
    }
  }
  sweep(
      division.net, cases,
      [&](auto& engine, int c, const DivisionCase& x) {
        engine.set(division.a, c, x.a), engine.set(division.b, c, x.b);
        engine.set(division.active, c, x.kind < 2), engine.set(division.is_signed, c, x.kind == 1);
      },
      [&](auto& engine, int c, const DivisionCase& x) {
        const auto [quotient, remainder] = divided(x);
        EXPECT_EQ(engine.get(division.quotient, c), quotient)
            << x.a << " / " << x.b << (x.kind == 1 ? " signed" : "");
        EXPECT_EQ(engine.get(division.remainder, c), remainder)
            << x.a << " % " << x.b << (x.kind == 1 ? " signed" : "");
      });
}

}  // namespace
}  // namespace qgpu::circuit
