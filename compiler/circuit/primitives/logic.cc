#include "compiler/circuit/primitives/logic.h"

namespace qgpu::circuit {

void addBitwise(Net& net, const Gate& when, const BitFunction& f, const Bus& a, const Bus& b,
                const Bus& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    net.add(out[i], when, f.constant);
    net.add(out[i], when & a[i], f.left);
    net.add(out[i], when & b[i], f.right);
    net.add(out[i], when & a[i] & b[i], f.both);
  }
}

void addCopy(Net& net, const Gate& when, std::span<const Wire> source, std::span<const Wire> out) {
  check(source.size() == out.size(), "a copy has as many targets as sources");
  for (std::size_t i = 0; i < out.size(); ++i) net.add(out[i], when & source[i]);
}

void addConstant(Net& net, const Gate& when, std::uint64_t constant, std::span<const Wire> out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    if (constant >> i & 1) net.add(out[i], when);
}

Gate spells(std::span<const Wire> bits, unsigned value) {
  std::vector<Literal> literals;
  for (std::size_t i = 0; i < bits.size(); ++i)
    literals.emplace_back(bits[i], (value >> i & 1) != 0);
  return Gate(std::span<const Literal>(literals));
}

Wire decode(Net& net, std::string_view name, const Gate& when, std::span<const Wire> bits,
            unsigned value) {
  return net.define(name, when & spells(bits, value));
}

}  // namespace qgpu::circuit
