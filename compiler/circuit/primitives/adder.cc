#include "compiler/circuit/primitives/adder.h"

#include "compiler/circuit/primitives/functions.h"

namespace qgpu::circuit {
namespace {

constexpr int kBytes = 4;

std::span<const Wire> slice(const Bus& bus, int first, int width) {
  return std::span(bus).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(width));
}

// The carry into `byte` (4: out of the word): the bytes that may have made it and those that it
// then ran through. A byte that propagates does not generate, so at most one of the gates is open.
std::vector<Gate> carriesInto(const ByteSums& sums, int byte, const std::optional<Literal>& in) {
  std::vector<Gate> gates;
  Gate through;
  for (int i = byte - 1; i >= 0; --i) {
    gates.push_back(through & sums.generate[i]);
    through &= sums.propagate[i];
  }
  if (in) gates.push_back(through & *in);
  return gates;
}

void sumByte(Net& net, const Gate& when, std::span<const Wire> a, std::span<const Wire> b, int byte,
             ByteSums& sums) {
  const Form sum = number(a) + number(b);
  addAtLeast(net, sums.generate[byte], when, sum, 256);
  addEqual(net, sums.propagate[byte], when, sum, 255);
  for (std::size_t k = 0; k < 8; ++k) {
    const std::size_t bit = 8 * static_cast<std::size_t>(byte) + k;
    const Form low = number(a.first(k + 1)) + number(b.first(k + 1));
    addFunction(net, sums.bits[bit], when, low, [k](int n) { return n >> k & 1; });
    if (k == 0) continue;
    sums.reach[bit] = net.wire("reach[" + std::to_string(bit) + "]");
    addEqual(net, sums.reach[bit], when, number(a.first(k)) + number(b.first(k)), (1 << k) - 1);
  }
}

}  // namespace

ByteSums sumBytes(Net& net, const Gate& when, const Bus& a, const Bus& b) {
  const auto scope = net.scope("sum");
  ByteSums sums{net.wires("bits", 32),       Bus(32),
                net.wires("generate", 4),    net.wires("propagate", 4),
                net.wire("signed_generate"), net.wire("signed_propagate")};
  for (int byte = 0; byte < kBytes; ++byte)
    sumByte(net, when, slice(a, 8 * byte, 8), slice(b, 8 * byte, 8), byte, sums);
  const Form biased =
      number(slice(a, 24, 7)) + number(slice(b, 24, 7)) + 128 * (Form(!a[31]) + Form(!b[31]));
  addAtLeast(net, sums.signed_generate, when, biased, 256);
  addEqual(net, sums.signed_propagate, when, biased, 255);
  return sums;
}

void addSum(Net& net, const ByteSums& sums, const Gate& when, std::optional<Literal> carry_in,
            const Bus& out) {
  for (int bit = 0; bit < 32; ++bit) {
    const Wire h = sums.bits[bit];
    net.add(out[bit], when & h);
    for (const Gate& carry : carriesInto(sums, bit / 8, carry_in)) {
      const Gate flips = bit % 8 == 0 ? carry : carry & sums.reach[bit];
      net.add(out[bit], when & flips, 1 - 2 * h);
    }
  }
}

void addCarry(Net& net, const ByteSums& sums, const Gate& when, std::optional<Literal> carry_in,
              Wire out, int amount) {
  for (const Gate& carry : carriesInto(sums, kBytes, carry_in)) net.add(out, when & carry, amount);
}

void addSignedCarry(Net& net, const ByteSums& sums, const Gate& when,
                    std::optional<Literal> carry_in, Wire out, int amount) {
  ByteSums biased = sums;
  biased.generate[3] = sums.signed_generate;
  biased.propagate[3] = sums.signed_propagate;
  addCarry(net, biased, when, carry_in, out, amount);
}

void addComplement(Net& net, const ByteSums& sums, const Gate& when, Wire out, int amount) {
  Gate all = when;
  for (const Wire w : sums.propagate) all &= w;
  net.add(out, all, amount);
}

}  // namespace qgpu::circuit
