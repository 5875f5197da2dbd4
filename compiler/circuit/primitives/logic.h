// Bitwise functions and selections, one layer each.
#pragma once

#include "compiler/circuit/net.h"

namespace qgpu::circuit {

// A function of two bits as a polynomial: constant + left * a + right * b + both * a * b. Every one
// of the sixteen has such coefficients; AND is {0,0,0,1}, OR {0,1,1,-1}, XOR {0,1,1,-2} and
// AND NOT {0,1,0,-1}.
struct BitFunction {
  Form constant, left, right, both;
};
// out[i] += f(a[i], b[i]) where `when` holds. The coefficients may be wires, so that one circuit
// serves several operations.
void addBitwise(Net& net, const Gate& when, const BitFunction& f, const Bus& a, const Bus& b,
                const Bus& out);

// out[i] += source[i] where `when` holds.
void addCopy(Net& net, const Gate& when, std::span<const Wire> source, std::span<const Wire> out);

// out[i] += bit i of the constant where `when` holds.
void addConstant(Net& net, const Gate& when, std::uint64_t constant, std::span<const Wire> out);

// A flag that holds where `bits` spell `value`.
Wire decode(Net& net, std::string_view name, const Gate& when, std::span<const Wire> bits,
            unsigned value);
// The same as a gate: wires that hold `value`.
Gate spells(std::span<const Wire> bits, unsigned value);

}  // namespace qgpu::circuit
