#include "compiler/circuit/primitives/lanes.h"

#include "compiler/circuit/primitives/testing.h"

namespace qgpu::circuit {
namespace {

using namespace testing;

struct Shuffle {
  Net net;
  Bus op = net.inputs("op", 5), clamp = net.inputs("clamp", 2), segment = net.inputs("segment", 2);
  std::vector<Bus> a, b, out;
  Bus in_range;
  Shuffle() {
    const ShuffleOperation shuffle{op[4], op[0], op[1], op[2], op[3], clamp, segment};
    for (int lane = 0; lane < 4; ++lane) {
      a.push_back(net.inputs("a", 32)), b.push_back(net.inputs("b", 5));
      out.push_back(net.wires("out", 32));
    }
    for (int lane = 0; lane < 4; ++lane) {
      const auto l = static_cast<std::size_t>(lane);
      const ShuffleChoice choice = chooseSource(net, shuffle, aimShuffle(net, shuffle, lane, b[l]));
      addShuffled(net, shuffle, choice, lane, a, out[l]);
      in_range.push_back(choice.in_range);
      net.output(out[l]);
    }
    net.output(in_range);
  }
};

struct ShuffleCase {
  int kind;  // 4: idle
  std::uint32_t clamp, segment;
  std::array<std::uint32_t, 4> a, b;
};

// The definition in the PTX ISA, with two-bit lane numbers.
std::pair<int, bool> source(const ShuffleCase& x, int lane) {
  const int b = static_cast<int>(x.b[static_cast<std::size_t>(lane)]);
  const int segment = static_cast<int>(x.segment), clamp = static_cast<int>(x.clamp);
  const int max_lane = (lane & segment) | (clamp & ~segment & 3), min_lane = lane & segment;
  switch (x.kind) {
    case 0: {
      const int j = min_lane | (b & ~segment & 3);
      return {j, j <= max_lane};
    }
    case 1: return {lane - b, lane - b >= max_lane};
    case 2: return {lane + b, lane + b <= max_lane};
    default: return {lane ^ b, (lane ^ b) <= max_lane};
  }
}

TEST(LanesCircuit, ShufflesEveryWay) {
  const Shuffle shuffle;
  EXPECT_EQ(shuffle.net.steps(), unitStep(2) + 1);
  std::vector<ShuffleCase> cases;
  Operands random(7);
  for (int kind = 0; kind < 5; ++kind)
    for (std::uint32_t aux = 0; aux < 16; ++aux)
      for (std::uint32_t i = 0; i < 96; ++i) {
        ShuffleCase x{kind, aux & 3, aux >> 2, {}, {}};
        for (std::size_t l = 0; l < 4; ++l)
          x.a[l] = random.word(), x.b[l] = i < 32 ? i : random.below(random.below(2) ? 4 : 32);
        cases.push_back(x);
      }
  int outside = 0;
  sweep(
      shuffle.net, cases,
      [&](auto& engine, int c, const ShuffleCase& x) {
        engine.set(shuffle.op, c, x.kind < 4 ? 16u | 1u << x.kind : 0);
        engine.set(shuffle.clamp, c, x.clamp), engine.set(shuffle.segment, c, x.segment);
        for (std::size_t l = 0; l < 4; ++l)
          engine.set(shuffle.a[l], c, x.a[l]), engine.set(shuffle.b[l], c, x.b[l]);
      },
      [&](auto& engine, int c, const ShuffleCase& x) {
        for (std::size_t l = 0; l < 4; ++l) {
          const auto [from, in_range] = source(x, static_cast<int>(l));
          outside += !in_range;
          const std::uint32_t word = x.a[in_range ? static_cast<std::size_t>(from) : l];
          EXPECT_EQ(engine.get(shuffle.out[l], c), x.kind < 4 ? word : 0) << x.kind;
          EXPECT_EQ(engine.get(shuffle.in_range[l], c), x.kind < 4 && in_range);
        }
      });
  EXPECT_GT(outside, 2000);
}

TEST(LanesCircuit, Votes) {
  Net net;
  const Bus mask = net.inputs("mask", 4), holding = net.inputs("holding", 4);
  const Wire any = net.wire("any"), all = net.wire("all"), unanimous = net.wire("unanimous");
  addAny(net, {}, holding, any);
  addAll(net, {}, mask, holding, all);
  addUnanimous(net, {}, mask, holding, unanimous);
  for (const Wire w : {any, all, unanimous}) net.output(w);
  std::vector<unsigned> cases(256);
  for (unsigned i = 0; i < 256; ++i) cases[i] = i;
  sweep(
      net, cases,
      [&](auto& engine, int c, unsigned x) {
        engine.set(mask, c, x & 15), engine.set(holding, c, x & x >> 4 & 15);
      },
      [&](auto& engine, int c, unsigned x) {
        const unsigned running = x & 15, held = x & x >> 4 & 15;
        EXPECT_EQ(engine.get(any, c), held != 0);
        EXPECT_EQ(engine.get(all, c), held == running);
        EXPECT_EQ(engine.get(unanimous, c), held == running || held == 0);
      });
}

}  // namespace
}  // namespace qgpu::circuit
