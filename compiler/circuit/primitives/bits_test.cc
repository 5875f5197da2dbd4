#include "compiler/circuit/primitives/bits.h"

#include <bit>

#include "compiler/circuit/primitives/testing.h"

namespace qgpu::circuit {
namespace {

using namespace testing;

TEST(BitsCircuit, CountsAndReverses) {
  Net net;
  const Bus word = net.inputs("word", 32), op = net.inputs("op", 3), out = net.wires("out", 32);
  addPopulationCount(net, op[0], word, std::span(out).first(6));
  addLeadingZeros(net, op[1], word, std::span(out).first(6));
  addReversed(net, op[2], word, out);
  net.output(out);
  auto cases = pairs(10'000);
  for (std::uint32_t i = 0; i < 33; ++i)
    for (std::uint32_t below : {0u, ~0u, 0x5a5a5a5au})
      cases.push_back({i == 32 ? 0 : (below | 1u << 31) >> i, i});
  for (int kind = 0; kind < 4; ++kind)
    sweep(
        net, cases,
        [&](auto& engine, int c, auto x) {
          engine.set(word, c, x[0]), engine.set(op, c, kind < 3 ? 1u << kind : 0);
        },
        [&](auto& engine, int c, auto x) {
          std::uint32_t reversed = 0;
          for (int i = 0; i < 32; ++i) reversed |= (x[0] >> i & 1) << (31 - i);
          const std::uint32_t expected[] = {static_cast<std::uint32_t>(std::popcount(x[0])),
                                            static_cast<std::uint32_t>(std::countl_zero(x[0])),
                                            reversed, 0};
          EXPECT_EQ(engine.get(out, c), expected[kind]) << x[0];
        });
}

TEST(BitsCircuit, PermutesBytes) {
  Net net;
  const Bus low = net.inputs("low", 32), high = net.inputs("high", 32);
  const Bus selector = net.inputs("selector", 16), out = net.wires("out", 32);
  const Wire enable = net.input("enable");
  addPermuted(net, decodePermutation(net, enable, selector), low, high, out);
  net.output(out);
  std::vector<std::array<std::uint32_t, 3>> cases;
  Operands random(5);
  for (const auto& [a, b] : pairs(20'000)) cases.push_back({a, b, random.below(1u << 16)});
  for (std::uint32_t s = 0; s < 1u << 16; s += 3) cases.push_back({0x8a1b7c0d, 0xf2e3049f, s});
  sweep(
      net, cases,
      [&](auto& engine, int c, auto x) {
        engine.set(low, c, x[0]), engine.set(high, c, x[1]), engine.set(selector, c, x[2]);
        engine.set(enable, c, x[0] % 5 != 0);
      },
      [&](auto& engine, int c, auto x) {
        std::uint32_t expected = 0;
        for (unsigned i = 0; i < 4 && x[0] % 5 != 0; ++i) {
          const unsigned nibble = x[2] >> (4 * i) & 15, source = nibble & 7;
          const unsigned byte = (source < 4 ? x[0] : x[1]) >> (8 * (source % 4)) & 255;
          expected |= ((nibble & 8) ? (byte >= 128 ? 255 : 0) : byte) << (8 * i);
        }
        EXPECT_EQ(engine.get(out, c), expected);
      });
}

TEST(BitsCircuit, ExtractsAndInsertsBytesAndHalfWords) {
  Net net;
  const Bus word = net.inputs("word", 32), value = net.inputs("value", 32);
  const Bus at = net.inputs("at", 2), loaded = net.wires("loaded", 32);
  const Bus stored = net.wires("stored", 32), op = net.inputs("op", 4);
  const Wire store = net.input("store"), store_half = net.input("store_half");
  addExtracted(net, {op[0], op[1], op[2], op[3]}, word, at, loaded);
  addInserted(net, store, store_half, word, at, value, stored);
  net.output(loaded), net.output(stored);
  std::vector<std::array<std::uint32_t, 4>> cases;  // word, value, at, kind of load
  Operands random(6);
  for (const auto& [a, b] : pairs(20'000))
    cases.push_back({a, b, random.below(4), random.below(5)});
  constexpr unsigned kOp[] = {0b0001, 0b0101, 0b0011, 0b1011, 0};
  sweep(
      net, cases,
      [&](auto& engine, int c, auto x) {
        engine.set(word, c, x[0]), engine.set(value, c, x[1]), engine.set(at, c, x[2]);
        engine.set(op, c, kOp[x[3]]);
        engine.set(store, c, x[3] < 4), engine.set(store_half, c, x[3] >= 2 && x[3] < 4);
      },
      [&](auto& engine, int c, auto x) {
        const std::uint32_t shifted = x[0] >> (8 * x[2]), byte = shifted & 255,
                            half = shifted & 65535;
        const std::uint32_t loads[] = {byte, byte | (byte >= 128 ? 0xffffff00 : 0), half,
                                       half | (half >= 32768 ? 0xffff0000 : 0), 0};
        EXPECT_EQ(engine.get(loaded, c), loads[x[3]]);
        const std::uint32_t field = (x[3] >= 2 ? 0xffffu : 0xffu) << (8 * x[2]);
        const std::uint32_t expected = (x[0] & ~field) | (x[1] << (8 * x[2]) & field);
        EXPECT_EQ(engine.get(stored, c), x[3] < 4 ? expected : 0);
      });
}

}  // namespace
}  // namespace qgpu::circuit
