// What each circuit costs for one lane: hidden units and their nonzero weights, clearing not
// counted. The limits are what the circuits took when they were written; a change that makes one
// larger has to say so here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/circuit/emit.h"
#include "compiler/circuit/primitives/adder.h"
#include "compiler/circuit/primitives/address.h"
#include "compiler/circuit/primitives/bits.h"
#include "compiler/circuit/primitives/divider.h"
#include "compiler/circuit/primitives/lanes.h"
#include "compiler/circuit/primitives/logic.h"
#include "compiler/circuit/primitives/multiplier.h"
#include "compiler/circuit/primitives/shifter.h"

namespace qgpu::circuit {
namespace {

// A net with the inputs that most circuits want.
struct Bench {
  Net net;
  Bus a = net.inputs("a", 32), b = net.inputs("b", 32), c = net.inputs("c", 32);
  Bus op = net.inputs("op", 6);
  Bus out = net.wires("out", 32), rest = net.wires("rest", 32), flags = net.wires("flags", 3);
};

struct Circuit {
  const char* name;
  int layers, units, nonzeros;
  void (*build)(Bench&);
};

void buildAdder(Bench& x) {
  const ByteSums sums = sumBytes(x.net, x.op[0], x.a, x.b);
  addSum(x.net, sums, {}, x.op[1], x.out);
  addCarry(x.net, sums, {}, x.op[1], x.flags[0]);
  addSignedCarry(x.net, sums, {}, x.op[1], x.flags[1]);
  addComplement(x.net, sums, {}, x.flags[2]);
}

void buildMultiplier(Bench& x) {
  const Columns columns = multiply(x.net, {x.op[0], x.op[1], x.op[2], x.op[3]}, x.a, x.b, x.c);
  const Digits digits = digitsOf(x.net, reduceTotals(x.net, splitColumns(x.net, columns), x.op[0]));
  const Bus carries = carriesOf(x.net, digits, x.op[0]);
  addWord(x.net, x.op[1], digits, carries, 0, x.out);
  addWord(x.net, x.op[2], digits, carries, kWordColumns, x.out);
}

void buildShuffle(Bench& x) {
  const ShuffleOperation op{x.op[0],
                            x.op[1],
                            x.op[2],
                            x.op[3],
                            x.op[4],
                            std::span(x.c).first(2),
                            std::span(x.c).subspan(2, 2)};
  const ShuffleChoice choice =
      chooseSource(x.net, op, aimShuffle(x.net, op, 2, std::span(x.b).first(5)));
  addShuffled(x.net, op, choice, 2, {x.b, x.c, x.a, x.b}, x.out);
}

const Circuit kCircuits[] = {
    {"add, three flags", 2, 323, 3587, buildAdder},
    {"any bitwise function", 1, 97, 578,
     [](Bench& x) {
       addBitwise(x.net, x.op[0], {x.op[1], x.op[2], x.op[3], Form(x.op[4]) - x.op[5]}, x.a, x.b,
                  x.out);
     }},
    {"shift, rotate", 2, 509, 3709,
     [](Bench& x) {
       addShift(x.net,
                beginShift(x.net, {x.op[0], x.op[1], x.op[2], x.op[3], x.op[4]}, x.a,
                           std::span(x.b).first(5), std::span(x.b).last(27)),
                x.out);
     }},
    {"population count", 1, 32, 1209,
     [](Bench& x) { addPopulationCount(x.net, x.op[0], x.a, std::span(x.out).first(6)); }},
    {"leading zeros", 1, 32, 735,
     [](Bench& x) { addLeadingZeros(x.net, x.op[0], x.a, std::span(x.out).first(6)); }},
    {"permute bytes", 2, 352, 1596,
     [](Bench& x) {
       addPermuted(x.net, decodePermutation(x.net, x.op[0], std::span(x.c).first(16)), x.a, x.b,
                   x.out);
     }},
    {"shuffle", 3, 147, 849, buildShuffle},
    {"byte and half word loads", 1, 63, 497,
     [](Bench& x) {
       addExtracted(x.net, {x.op[0], x.op[1], x.op[2], x.op[3]}, x.a, std::span(x.b).first(2),
                    x.out);
     }},
    {"byte and half word stores", 1, 88, 568,
     [](Bench& x) {
       addInserted(x.net, x.op[0], x.op[1], x.a, std::span(x.b).first(2), x.c, x.out);
     }},
    {"address, range", 2, 191, 2771,
     [](Bench& x) {
       const Address address =
           finishAddress(x.net, beginAddress(x.net, {x.op[0], x.op[1], x.op[2]}, x.a, x.b));
       x.net.output(address.bits), x.net.output(address.inside);
     }},
    {"multiply, high and low word", 6, 1546, 9843, buildMultiplier},
    {"divide", 38, 2913, 25347,
     [](Bench& x) { addDivision(x.net, x.op[0], x.op[1], x.a, x.b, x.out, x.rest); }},
};

TEST(PrimitiveSizes, StayWithinTheirBudgets) {
  fmt::print("{:28} layers  units  nonzeros   units by layer\n", "circuit, one lane");
  for (const Circuit& circuit : kCircuits) {
    Bench bench;
    circuit.build(bench);
    for (const Bus* bus : {&bench.out, &bench.rest, &bench.flags})
      for (const Wire w : *bus)
        if (bench.net.info(w).last_drive >= 0) bench.net.output(w);
    const auto compiled = compile(bench.net, {.hidden = 4096, .dims = 4096, .layers = 38});
    ASSERT_TRUE(compiled) << compiled.error().message;
    int units = 0, layers = 0;
    std::size_t nonzeros = 0;
    std::string by_layer;
    for (const LayerBudget& b : compiled->budget) {
      units += b.units - b.clearing_units;
      layers += b.units > 0;
      if (b.units > 0) by_layer += fmt::format(" {}", b.units);
      EXPECT_EQ(b.clearing_units, 0);
    }
    for (const LayerWeights& layer : compiled->layers) nonzeros += layer.mlpNonzeros();
    fmt::print("{:28} {:>6}  {:>5}  {:>8}  {}\n", circuit.name, layers, units, nonzeros,
               circuit.layers > 6 ? " ..." : by_layer);
    EXPECT_EQ(layers, circuit.layers) << circuit.name;
    EXPECT_LE(units, circuit.units) << circuit.name;
    EXPECT_LE(nonzeros, static_cast<std::size_t>(circuit.nonzeros)) << circuit.name;
  }
}

}  // namespace
}  // namespace qgpu::circuit
