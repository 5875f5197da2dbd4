#include "compiler/circuit/emit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "compiler/circuit/evaluator.h"
#include "compiler/circuit/float_machine.h"
#include "compiler/circuit/random_net.h"

namespace qgpu::circuit {
namespace {

using ::testing::HasSubstr;
using testing::RandomNet;

// Text takes the dims below, the circuit those above.
Substrate small(int layers) {
  return {.hidden = 512,
          .first_dim = 64,
          .dims = 448,
          .intermediate = 1024,
          .heads = 2,
          .layers = layers};
}

// The least number of dims that the net compiles into.
CompiledNet compileTightly(const Net& net, Substrate substrate) {
  int enough = substrate.dims, few = 0;
  while (enough - few > 1) {
    substrate.dims = (enough + few) / 2;
    (compile(net, substrate) ? enough : few) = substrate.dims;
  }
  substrate.dims = enough;
  auto compiled = compile(net, substrate);
  check(compiled.has_value(), compiled ? "" : compiled.error().message);
  return std::move(*compiled);
}

void expectSameState(const Net& net, const Evaluator& exact, const FloatMachine& machine) {
  for (std::size_t m = 0; m < net.memories().size(); ++m)
    for (int row = 0; row < net.memories()[m].rows; ++row) {
      const Evaluator::Row& expected = exact.row(m, row, 0);
      for (int lane = 0; lane < 9; ++lane)
        ASSERT_EQ(machine.stored(m, row, lane),
                  (expected.bits[0] >> lane & 1) != 0 ? 146.0f : 0.0f);
      ASSERT_EQ(machine.stored(m, row, 126), expected.written ? 146.0f * 65536.0f : 0.0f);
    }
}

// Random residual values on the text dims, in bfloat16.
std::vector<float> textToken(std::mt19937& random, const Substrate& substrate) {
  std::vector<float> x(static_cast<std::size_t>(substrate.hidden));
  std::normal_distribution<float> normal;
  for (int i = 0; i < substrate.first_dim; ++i)
    x[static_cast<std::size_t>(i)] = roundToBfloat16(normal(random));
  return x;
}

// A compiled random net against the evaluator: every output and every stored bit after every token.
void expectExact(std::uint32_t seed, FloatOptions options, bool looks_back) {
  constexpr int kLayers = 5;
  RandomNet source(seed, kLayers, looks_back);
  const CompiledNet compiled = compileTightly(source.net, small(kLayers + 2));
  Evaluator exact(source.net);
  FloatMachine machine(compiled, options);
  std::mt19937 random(seed);
  for (int token = 0; token < 40; ++token) {
    if (!looks_back && token % 4 == 1) {
      const std::vector<float> before = machine.state();
      std::vector<float> x = textToken(random, compiled.substrate), untouched = x;
      machine.pass(x);
      exact.foreignPass();
      ASSERT_EQ(x, untouched);
      ASSERT_EQ(machine.state(), before);
      continue;
    }
    source.chooseInputs([&](Wire w, int value) { exact.set(w, 0, value), machine.set(w, value); });
    exact.pass();
    machine.pass();
    for (const Wire w : source.outputs)
      ASSERT_EQ(machine.get(w), exact.get(w, 0)) << source.net.nameOf(w) << " token " << token;
    ASSERT_EQ(machine.inexact(), 0);
    expectSameState(source.net, exact, machine);
  }
  ASSERT_EQ(exact.bad(), 0u) << exact.firstBad();
}

struct Variant {
  const char* name;
  FloatOptions options;
  friend void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }
};
class CompiledNets : public ::testing::TestWithParam<Variant> {};

TEST_P(CompiledNets, AreExact) {
  for (std::uint32_t seed = 0; seed < 12; ++seed) expectExact(seed, GetParam().options, false);
  for (std::uint32_t seed = 100; seed < 106; ++seed) expectExact(seed, GetParam().options, true);
}

INSTANTIATE_TEST_SUITE_P(
    Variants, CompiledNets,
    ::testing::Values(Variant{"fp32", {}}, Variant{"fp32_exact_root", {.exact_root = true}},
                      Variant{"fp32_product_scale", {.scale_by_product = true}},
                      Variant{"bf16", {.bfloat16 = true}},
                      Variant{"bf16_product_scale", {.bfloat16 = true, .scale_by_product = true}}),
    [](const auto& variant) { return std::string(variant.param.name); });

// Reciprocal roots off by two units in the last place, as a GPU's approximation might be: what a
// memory overwrites leaves a trace of 1e-7, which must stay a trace.
TEST(CompiledNets, SurviveInexactRootsInBfloat16) {
  for (const int ulps : {-2, 2})
    for (std::uint32_t seed = 0; seed < 12; ++seed) {
      RandomNet source(seed, 5, false);
      const CompiledNet compiled = compileTightly(source.net, small(7));
      Evaluator exact(source.net);
      FloatMachine machine(compiled, {.bfloat16 = true, .root_ulps = ulps});
      for (int token = 0; token < 40; ++token) {
        source.chooseInputs(
            [&](Wire w, int value) { exact.set(w, 0, value), machine.set(w, value); });
        exact.pass();
        machine.pass();
        for (const Wire w : source.outputs)
          ASSERT_NEAR(machine.value(w), exact.get(w, 0), 1e-4) << source.net.nameOf(w);
      }
    }
}

TEST(Compile, IsDeterministic) {
  const RandomNet a(7, 5, false), b(7, 5, false);
  const auto x = compile(a.net, small(7)), y = compile(b.net, small(7));
  ASSERT_TRUE(x && y);
  EXPECT_EQ(x->layers, y->layers);
  EXPECT_EQ(x->dims, y->dims);
}

// Exclusive modes share dims: two nets' worth of wires in the room of one.
TEST(Compile, ExclusiveModesShareDims) {
  const auto dimsOf = [](bool exclusive) {
    Net net;
    const Wire on = net.input("on");
    const Mode first = net.mode("first", on), second = net.mode("second", !on);
    if (exclusive) net.exclusive(first, second);
    const Wire out = net.wire("out", integer(0, 40));
    for (const Mode mode : {first, second}) {
      const auto within = net.within(mode);
      const auto early = net.from(0);
      Bus flags = net.wires("flag", 40);
      for (const Wire w : flags) net.add(w, {});
      const auto late = net.from(3);
      net.add(out, {}, count(flags));
    }
    net.output(out);
    return compileTightly(net, small(4)).substrate.dims;
  };
  const int shared = dimsOf(true);
  EXPECT_EQ(dimsOf(false), shared + 40);
}

// What a memory stores of a mode's wire is 0 while another mode's wire holds the dim.
TEST(Compile, MemoriesStoreNothingOfAModeThatIsOff) {
  Net net;
  const Wire on = net.input("on"), bit = net.input("bit");
  const Bus many = net.inputs("many", 15);
  const Mode first = net.mode("first", on), second = net.mode("second", !on);
  net.exclusive(first, second);
  Wire stored, large;
  {
    const auto within = net.within(first);
    stored = net.wire("stored");
  }
  {
    const auto within = net.within(second);
    large = net.wire("large", integer(0, 15));
  }
  const Wire read = net.wire("read"), sum = net.wire("sum", integer(0, 15));
  {
    const auto at = net.at(0);
    net.add(stored, on & bit);
    net.add(large, relu(count(many)) & Literal(on, false));
  }
  {
    const auto at = net.at(1);
    net.memory({.name = "kept", .lanes = lanes(Bus{stored}, Bus{read})});
    net.add(sum, relu(Form(large)) & Literal(on, false));
  }
  net.output(read);
  net.output(sum);
  const CompiledNet compiled = compileTightly(net, small(2));
  ASSERT_EQ(compiled.dim(stored), compiled.dim(large)) << "the case that this test is for";
  FloatMachine machine(compiled, {});
  machine.set(many, 0x7fff);
  machine.set(bit, 1);
  machine.pass();
  EXPECT_EQ(machine.get(sum), 15);
  EXPECT_EQ(machine.get(read), 0);
}

TEST(Compile, SaysWhichBudgetIsExceeded) {
  const auto message = [](const Net& net, Substrate substrate) {
    const auto compiled = compile(net, substrate);
    return compiled ? std::string("none") : compiled.error().message;
  };
  Net net;
  const Wire a = net.input("a"), b = net.input("b");
  Bus flags;
  {
    const auto scope = net.scope("wide");
    flags = net.wires("flag", 30);
    for (const Wire w : flags) net.add(w, a), net.add(w, b & !a, Form(w == flags[0]));
  }
  const Wire all = net.define(
      "all", Gate(std::span<const Literal>(std::vector<Literal>(flags.begin(), flags.end()))));
  net.output(all);
  const Substrate enough{.hidden = 64, .dims = 64, .intermediate = 8, .heads = 1, .layers = 2};
  EXPECT_EQ(message(net, enough), "none");
  Substrate tight = enough;
  tight.dims = 30;
  EXPECT_THAT(message(net, tight),
              HasSubstr("finds none of the 27 dims free in layer 0's MLP; held by wide: 30"));
  tight = enough;
  tight.intermediate = 1;
  EXPECT_THAT(message(net, tight), HasSubstr("layer 0 needs 2 units of 1; clearing: 0, wide: 2"));
  tight = enough;
  tight.layers = 1;
  EXPECT_THAT(message(net, tight), HasSubstr("in layer 1's MLP, but there are 1 layers"));
  net.memory({.name = "first", .write = {.when = a}, .lanes = lanes({{a}}, {{net.wire("x")}})});
  net.memory({.name = "second", .write = {.when = a}, .lanes = lanes({{a}}, {{net.wire("x")}})});
  EXPECT_THAT(message(net, enough), HasSubstr("layer 0 needs 2 heads of 1; the last is second"));
  Net odd;
  const Wire n = odd.input("n", integer(0, 1));
  odd.output(odd.define("x", relu(257 * n - 256)));
  EXPECT_THAT(message(odd, enough), HasSubstr("needs a weight of more than eight bits"));
}

}  // namespace
}  // namespace qgpu::circuit
