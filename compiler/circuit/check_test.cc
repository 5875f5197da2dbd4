#include "compiler/circuit/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/circuit/primitives/functions.h"
#include "compiler/circuit/primitives/multiplier.h"
#include "compiler/circuit/random_net.h"
#include "compiler/circuit/report.h"
#include "model/weights/budget.h"

namespace qgpu::circuit {
namespace {

using ::testing::HasSubstr;

constexpr Substrate kSmall{
    .hidden = 512, .dims = 512, .intermediate = 512, .heads = 2, .layers = 8};

std::string firstProblem(const Net& net) {
  const auto compiled = compile(net, kSmall);
  if (!compiled) return compiled.error().message;
  const auto problems = checkExactness(net, *compiled).problems;
  return problems.empty() ? "none" : problems.front();
}

TEST(Exactness, HoldsForRandomNets) {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    const testing::RandomNet source(seed, 5, true);
    EXPECT_EQ(firstProblem(source.net), "none");
  }
}

TEST(Exactness, NamesWhatMayBeInexact) {
  const auto problem = [](auto build) {
    Net net;
    const Wire n = net.input("n", integer(0, 200)), out = net.wire("out", integer(-256, 256));
    const auto scope = net.scope("part");
    build(net, n, out);
    net.output(out);
    return firstProblem(net);
  };
  EXPECT_THAT(problem([](Net& net, Wire n, Wire out) { net.add(out, relu(2 * n)); }),
              HasSubstr("a unit of part in layer 0's MLP: its gate may be 400"));
  EXPECT_EQ(problem([](Net& net, Wire n, Wire out) { net.add(out, relu(2 * n).atMost(256)); }),
            "none");
  EXPECT_THAT(problem([](Net& net, Wire n, Wire out) { net.add(out, relu(n), Form(n) - 100); }),
              HasSubstr("its product 20000"));
  EXPECT_THAT(problem([](Net& net, Wire n, Wire out) {
                net.add(out, relu(n));
                const auto later = net.at(1);
                net.add(out, relu(Form(n) - 100));
              }),
              HasSubstr("out may be 0..300 before it is complete"));
  EXPECT_THAT(problem([](Net& net, Wire n, Wire out) {
                const Wire flipped = net.revise(n, "flipped", integer(-200, 0));
                net.add(flipped, {}, -2 * Form(n));
                net.add(out, {}, flipped);
              }),
              HasSubstr("part.flipped may change by more than 256 in one step"));
}

TEST(Exactness, CountsPromises) {
  Net net;
  const Bus bits = net.inputs("bits", 9);
  const Wire out = net.wire("out");
  addFunction(net, out, {}, number(bits), {0, 200}, [](int n) { return n > 100; });
  net.output(out);
  const ExactnessReport report = checkExactness(net, *compile(net, kSmall));
  EXPECT_TRUE(report.problems.empty());
  EXPECT_EQ(report.layers[0].promised, 2);
  EXPECT_EQ(report.layers[0].gate, 100);
  EXPECT_THAT(report.tightest(1), HasSubstr("\n    0   100      100         2"));
}

TEST(Report, SumsUpLayersAndScopes) {
  Net net;
  const Bus a = net.inputs("a", 32), b = net.inputs("b", 32);
  const Wire on = net.input("on");
  const Columns columns = multiply(net, {on, on, !on, !on}, a, b, a);
  const Bus totals = splitColumns(net, columns);
  net.output(totals);
  Substrate substrate = kSmall;
  substrate.intermediate = 1024;
  const auto compiled = compile(net, substrate);
  ASSERT_TRUE(compiled) << compiled.error().message;
  EXPECT_TRUE(checkExactness(net, *compiled).problems.empty());
  std::size_t units = 0;
  for (const LayerBudget& layer : compiled->budget) units += static_cast<std::size_t>(layer.units);
  EXPECT_THAT(model::budgetTable(substrate, compiled->budget, compiled->layers),
              HasSubstr(fmt::format("  all  {:>6}", units)));
  EXPECT_THAT(scopeTable(net, *compiled), HasSubstr("product\n"));
}

}  // namespace
}  // namespace qgpu::circuit
