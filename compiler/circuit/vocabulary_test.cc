#include "compiler/circuit/vocabulary.h"

#include <gtest/gtest.h>

#include "compiler/circuit/float_machine.h"

namespace qgpu::circuit {
namespace {

// A counter that is written by the unembedding: the token after n is n + 1 modulo 16.
struct Counter {
  Net net;
  Bus number = net.inputs("number", 3);
  Wire top = net.input("top", kBit);
  Bus code = net.wires("code", 4, kBit);
  CompiledNet compiled;
  Counter() {
    Bus bits = number;
    bits.push_back(top);
    Gate carry;
    for (std::size_t i = 0; i < 4; ++i) {
      net.add(code[i], bits[i]);
      net.add(code[i], carry, 1 - 2 * Form(bits[i]));
      carry &= bits[i];
    }
    net.output(code);
    compiled =
        *compile(net, {.hidden = 64, .dims = 64, .intermediate = 16, .heads = 1, .layers = 1});
  }
  std::vector<float> embed(unsigned n) const {
    std::vector<WireValue> inputs;
    for (std::size_t i = 0; i < 3; ++i)
      if (n >> i & 1) inputs.push_back({number[i]});
    if (n >> 3) inputs.push_back({top});
    std::vector<float> x(64);
    for (const Entry& e : embeddingRow(compiled, inputs)) x[e.column] = e.value;
    return x;
  }
};

TEST(Vocabulary, TheRightTokenWinsByTwoBits) {
  const Counter counter;
  FloatMachine machine(counter.compiled, {.bfloat16 = true});
  const Constants constants(counter.compiled.substrate);
  for (unsigned n = 0; n < 16; ++n) {
    std::vector<float> x = counter.embed(n);
    machine.pass(x);
    for (unsigned token = 0; token < 16; ++token) {
      float logit = 0;
      for (const Entry& e : unembeddingRow(counter.compiled, counter.code, token))
        logit += e.value * (x[e.column] / constants.unit_weight);
      const int wrong = std::popcount(token ^ ((n + 1) % 16));
      EXPECT_EQ(logit, kLogitPerBit * static_cast<float>(4 - 2 * wrong));
    }
  }
}

}  // namespace
}  // namespace qgpu::circuit
