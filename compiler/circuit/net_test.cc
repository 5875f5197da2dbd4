#include "compiler/circuit/net.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/circuit/evaluator.h"

namespace qgpu::circuit {
namespace {

using ::testing::HasSubstr;

// The example of net.h, on all pairs of nibbles.
TEST(Net, ExampleOfTheManual) {
  Net net;
  const Bus a = net.inputs("a", 4), b = net.inputs("b", 4);
  const Wire carry = net.wire("carry"), both = net.wire("both");
  const Form excess = number(a) + number(b) - 15;
  net.add(carry, relu(excess));
  net.add(carry, relu(excess - 1), -1);
  net.add(both, carry & a[0], b[1]);
  net.output(carry);
  net.output(both);
  Evaluator evaluator(net);
  for (int x = 0; x < 16; ++x) {
    for (int y = 0; y < 16; ++y) evaluator.set(a, y, x), evaluator.set(b, y, y);
    evaluator.pass();
    for (int y = 0; y < 16; ++y) {
      EXPECT_EQ(evaluator.get(carry, y), x + y > 15);
      EXPECT_EQ(evaluator.get(both, y), x + y > 15 && (x & 1) && (y & 2));
    }
  }
  EXPECT_EQ(evaluator.bad(), 0u) << evaluator.firstBad();
  EXPECT_EQ(net.units().size(), 3u);
  EXPECT_EQ(net.units()[2].step, unitStep(1));
}

TEST(Net, UnitsWithOneGateAndOneAmountAreOne) {
  Net net;
  const Wire a = net.input("a"), b = net.input("b");
  const Wire x = net.wire("x"), y = net.wire("y");
  net.add(x, a & !b);
  net.add(y, a & !b & a, -3);
  net.add(x, a & !b, a - b);
  net.add(y, a & !b, 2 * b - 2 * a);
  net.add(x, a & !b & !a);  // never open: no unit at all
  ASSERT_EQ(net.units().size(), 2u);
  EXPECT_EQ(net.units()[0].outs.size(), 2u);
  EXPECT_EQ(net.units()[1].outs[1].amount, -2);
}

TEST(Net, ReadingTooEarlyIsAnErrorByName) {
  Net net;
  const Wire a = net.input("a");
  auto scope = net.scope("stage");
  const Wire x = net.define("x", a);
  {
    auto early = net.at(0);
    net.add(net.wire("y"), x);
  }
  const auto verdict = net.verify();
  ASSERT_FALSE(verdict);
  EXPECT_THAT(verdict.error().message, HasSubstr("stage.x is read in layer 0's MLP"));
}

TEST(Net, ErrorsOfTheAuthor) {
  const auto message = [](auto build) {
    Net net;
    const Wire a = net.input("a"), n = net.input("n", integer(0, 9));
    build(net, a, n);
    const auto verdict = net.verify();
    return verdict ? std::string("none") : verdict.error().message;
  };
  EXPECT_THAT(message([](Net& net, Wire, Wire n) { net.define("x", n); }),
              HasSubstr("n is a literal of a unit, but holds 0..9"));
  EXPECT_THAT(message([](Net& net, Wire a, Wire) { net.define("x", a & net.wire("nothing")); }),
              HasSubstr("nothing is read but never driven"));
  EXPECT_THAT(message([](Net& net, Wire a, Wire) { net.add(Wire{}, a); }),
              HasSubstr("a wire that does not exist is driven"));
  EXPECT_THAT(message([](Net& net, Wire a, Wire) {
                const Wire x = net.define("x", a);
                net.define("y", x);
                auto late = net.from(3);
                net.add(x, a);
              }),
              HasSubstr("x is read in layer 1's MLP, before it is complete"));
  EXPECT_THAT(message([](Net& net, Wire, Wire) { net.wire("wide", integer(0, 257)); }),
              HasSubstr("wide has the range 0..257"));
  EXPECT_THAT(message([](Net& net, Wire a, Wire) {
                net.memory({.name = "m", .rows = 129, .write = {.when = a}});
              }),
              HasSubstr("m: 129 rows"));
}

TEST(Net, RevisingAWireChangesItInPlace) {
  Net net;
  const Bus bits = net.inputs("bits", 8);
  const Wire all = net.wire("all", integer(0, 255));
  net.add(all, relu(number(bits)));
  const Wire low = net.revise(all, "low", integer(0, 63));
  for (int t = 64; t < 256; t += 64) {
    net.add(low, relu(Form(all) - (t - 1)), -64);
    net.add(low, relu(Form(all) - t), 64);
  }
  const Wire same = net.wire("same", integer(0, 63));
  net.add(same, relu(low));
  net.output(same);
  Evaluator evaluator(net);
  for (int base = 0; base < 256; base += 16) {
    for (int c = 0; c < 16; ++c) evaluator.set(bits, c, base + c);
    evaluator.pass();
    for (int c = 0; c < 16; ++c) EXPECT_EQ(evaluator.get(same, c), (base + c) % 64);
  }
  EXPECT_EQ(evaluator.bad(), 0u) << evaluator.firstBad();
}

// A memory against an array, with write-then-read in one pass, disabled ports and foreign tokens.
TEST(Net, MemoryKeepsRows) {
  Net net;
  const Bus address = net.inputs("address", 3), from = net.inputs("from", 3);
  const Bus value = net.inputs("value", 5), out = net.wires("out", 5);
  const Wire write = net.input("write"), read = net.input("read"), written = net.wire("written");
  net.memory({.name = "m",
              .rows = 8,
              .write = {.address = address, .when = write},
              .read = {.address = from, .when = read},
              .lanes = lanes(value, out),
              .written = {{written}}});
  net.output(out);
  Evaluator evaluator(net);
  int expected[16][8];
  for (auto& rows : expected) std::ranges::fill(rows, -1);
  std::uint32_t seed = 1;
  for (int token = 0; token < 500; ++token) {
    for (int c = 0; c < 16; ++c) {
      const std::uint32_t r = seed = seed * 1664525u + 1013904223u;
      const auto field = [&](int shift, std::uint32_t n) { return (r >> shift) % n; };
      evaluator.set(address, c, field(8, 8)), evaluator.set(from, c, field(12, 8));
      evaluator.set(value, c, field(16, 32));
      evaluator.set(write, c, static_cast<int>(field(24, 2)));
      evaluator.set(read, c, static_cast<int>(field(26, 2)));
      if (evaluator.get(write, c)) expected[c][field(8, 8)] = static_cast<int>(field(16, 32));
    }
    evaluator.pass();
    for (int c = 0; c < 16; ++c) {
      const int stored = expected[c][evaluator.get(from, c)];
      const bool hit = evaluator.get(read, c) && stored >= 0;
      EXPECT_EQ(evaluator.get(out, c), hit ? static_cast<unsigned>(stored) : 0u);
      EXPECT_EQ(evaluator.get(written, c), hit);
    }
    if (token % 7 == 0) evaluator.foreignPass();
  }
  EXPECT_EQ(evaluator.bad(), 0u) << evaluator.firstBad();
}

TEST(Net, PortsThatLookBack) {
  Net net;
  const Wire on = net.input("on"), x = net.input("x"), y = net.wire("y");
  net.memory({.name = "m",
              .write = {.when = on, .delay = 2},
              .read = {.when = on},
              .lanes = {{.value = x, .delay = 1, .outs = {{y}}}}});
  net.output(y);
  Evaluator evaluator(net);
  const int ons[] = {1, 0, 1, 1, 0, 1, 0, 1}, xs[] = {0, 1, 0, 1, 1, 0, 1, 0};
  int stored = 0;
  for (int t = 0; t < 8; ++t) {
    evaluator.set(on, 0, ons[t]), evaluator.set(x, 0, xs[t]);
    evaluator.pass();
    if (t >= 2 && ons[t - 2]) stored = xs[t - 1];
    EXPECT_EQ(evaluator.get(y, 0), ons[t] ? stored : 0) << t;
  }
}

TEST(Evaluator, NoticesBrokenPromises) {
  const auto bad = [](auto build) {
    Net net;
    const Wire n = net.input("n", integer(0, 256)), off = net.input("off");
    build(net, n, off);
    Evaluator evaluator(net);
    evaluator.set(n, 0, 200);
    evaluator.pass();
    return evaluator.firstBad();
  };
  EXPECT_THAT(
      bad([](Net& net, Wire n, Wire) { net.add(net.wire("x", integer(0, 256)), relu(2 * n)); }),
      HasSubstr("has a gate of 400"));
  EXPECT_THAT(bad([](Net& net, Wire n, Wire) {
                net.add(net.wire("x", integer(0, 256)), relu(Form(n)).atMost(100));
              }),
              HasSubstr("has a gate of 200 (at most 100)"));
  EXPECT_THAT(bad([](Net& net, Wire n, Wire) { net.add(net.wire("x"), relu(Form(n) - 198)); }),
              HasSubstr("x holds 0..2, outside 0..1"));
  EXPECT_THAT(bad([](Net& net, Wire n, Wire off) {
                const Wire yes = net.define("yes", relu(Form(n) - 199));
                const Mode mode = net.mode("m", off);
                net.implies(yes, mode);
                auto scope = net.within(mode);
                net.define("w", Gate(yes));
              }),
              HasSubstr("w is not 0 outside its mode m"));
}

TEST(Net, ModesGuardEveryUnitThatTouchesTheirWires) {
  Net net;
  const Wire on = net.input("on"), a = net.input("a");
  const Mode mode = net.mode("m", on);
  Wire inside;
  {
    auto scope = net.within(mode);
    inside = net.define("inside", !a);
  }
  const Wire after = net.define("after", !inside);
  net.output(after);
  Evaluator evaluator(net);
  for (int c = 0; c < 4; ++c) evaluator.set(on, c, c & 1), evaluator.set(a, c, c >> 1);
  evaluator.pass();
  for (int c = 0; c < 4; ++c) {
    EXPECT_EQ(evaluator.get(inside, c), (c & 1) && !(c >> 1));
    EXPECT_EQ(evaluator.get(after, c), (c & 1) && (c >> 1));
  }
  EXPECT_EQ(evaluator.bad(), 0u) << evaluator.firstBad();
}

}  // namespace
}  // namespace qgpu::circuit
