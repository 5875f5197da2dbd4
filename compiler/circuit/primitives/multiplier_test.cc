#include "compiler/circuit/primitives/multiplier.h"

#include "compiler/circuit/primitives/testing.h"

namespace qgpu::circuit {
namespace {

using namespace testing;

// mad.lo, mad.hi signed and unsigned, and two separate sums of up to five words.
struct Multiplier {
  Net net;
  Bus a = net.inputs("a", 32), b = net.inputs("b", 32), c = net.inputs("c", 32);
  Bus op = net.inputs("op", 5);  // active, low, high, signed, sums
  Bus result = net.wires("result", 32), upper = net.wires("upper", 32);
  std::vector<Bus> words;
  Bus chosen;
  Multiplier() {
    for (int i = 0; i < 5; ++i) words.push_back(net.inputs("word", 32));
    chosen = net.inputs("chosen", 10);
    const Columns columns = multiply(net, {op[0], op[1], op[2], op[3]}, a, b, c);
    const Bus totals = splitColumns(net, columns);
    {
      const auto at = net.at(1);
      for (std::size_t i = 0; i < 10; ++i)
        addDigits(net, op[4] & chosen[i], words[i % 5], totals, i < 5 ? 0 : kWordColumns);
    }
    const Digits digits = digitsOf(net, reduceTotals(net, totals, op[0]));
    const Bus carries = carriesOf(net, digits, op[0]);
    addWord(net, !op[2], digits, carries, 0, result);
    addWord(net, op[2], digits, carries, kWordColumns, result);
    addWord(net, op[4], digits, carries, kWordColumns, upper);
    net.output(result), net.output(upper);
  }
};

struct MultiplierCase {
  int kind;  // mad.lo, mad.hi.u32, mad.hi.s32, sums, idle
  std::uint32_t a, b, c;
};

std::uint32_t expected(const MultiplierCase& x) {
  const std::uint64_t wide = std::uint64_t{x.a} * x.b;
  const std::int64_t signed_wide =
      std::int64_t{static_cast<std::int32_t>(x.a)} * static_cast<std::int32_t>(x.b);
  switch (x.kind) {
    case 0: return x.a * x.b + x.c;
    case 1: return static_cast<std::uint32_t>(wide >> 32) + x.c;
    case 2: return static_cast<std::uint32_t>(static_cast<std::uint64_t>(signed_wide) >> 32) + x.c;
    default: return 0;
  }
}

constexpr unsigned kOp[] = {0b00011, 0b00101, 0b01101, 0b10000, 0};

TEST(MultiplierCircuit, MultipliesAndAdds) {
  const Multiplier m;
  EXPECT_EQ(m.net.steps(), unitStep(5) + 1);
  std::vector<MultiplierCase> cases;
  Operands random(8);
  for (const int kind : {0, 1, 2, 4}) {
    for (const auto& [a, b] : pairs(6'000, static_cast<std::uint32_t>(kind)))
      cases.push_back({kind, a, b, random.word()});
    for (const auto& [a, b] : pairs(0)) cases.push_back({kind, a, a, b});
  }
  sweep(
      m.net, cases,
      [&](auto& engine, int lane, const MultiplierCase& x) {
        engine.set(m.a, lane, x.a), engine.set(m.b, lane, x.b), engine.set(m.c, lane, x.c);
        engine.set(m.op, lane, kOp[x.kind]);
      },
      [&](auto& engine, int lane, const MultiplierCase& x) {
        EXPECT_EQ(engine.get(m.result, lane), expected(x))
            << x.kind << ": " << x.a << " * " << x.b << " + " << x.c;
        EXPECT_EQ(engine.get(m.upper, lane), 0u);
      });
}

TEST(MultiplierCircuit, AddsTwoSetsOfWordsApart) {
  const Multiplier m;
  struct Case {
    std::array<std::uint32_t, 5> words;
    std::uint32_t chosen;
  };
  std::vector<Case> cases;
  Operands random(9);
  for (int i = 0; i < 20'000; ++i) {
    Case x{};
    for (auto& word : x.words) word = i < 16 ? ~0u : random.word();
    x.chosen = i < 16 ? 1023 : random.below(1024);
    cases.push_back(x);
  }
  sweep(
      m.net, cases,
      [&](auto& engine, int lane, const Case& x) {
        engine.set(m.op, lane, kOp[3]), engine.set(m.chosen, lane, x.chosen);
        for (std::size_t i = 0; i < 5; ++i) engine.set(m.words[i], lane, x.words[i]);
      },
      [&](auto& engine, int lane, const Case& x) {
        std::uint32_t low = 0, high = 0;
        for (std::size_t i = 0; i < 5; ++i) {
          if (x.chosen >> i & 1) low += x.words[i];
          if (x.chosen >> (i + 5) & 1) high += x.words[i];
        }
        EXPECT_EQ(engine.get(m.result, lane), low);
        EXPECT_EQ(engine.get(m.upper, lane), high);
      });
}

}  // namespace
}  // namespace qgpu::circuit
