// Addition of 32-bit words in two layers, with every flag of a comparison.
//
// The first layer works on each byte alone: its bits without a carry from below, whether it carries
// out by itself (generate), whether a carry from below would run through it (propagate), and which
// of its bits such a carry reaches. In the second layer the carry into a byte is a sum of gates of
// which at most one is open, and a bit that the carry reaches flips.
//
//   const ByteSums sums = sumBytes(net, enable, a, b);
//   addSum(net, sums, enable, carry_in, result);            // result += a + b + carry_in
//   addCarry(net, sums, enable, carry_in, at_least);        // with b complemented and carry_in =
//   1: addCarry(net, sums, {}, std::nullopt, greater);         //   a >= b, a > b unsigned
//   addSignedCarry(net, sums, enable, carry_in, at_least);  //   and signed
#pragma once

#include <optional>

#include "compiler/circuit/net.h"

namespace qgpu::circuit {

struct ByteSums {
  Bus bits;       // 32, of each byte's sum modulo 256
  Bus reach;      // 32: all lower bits of the byte's sum are ones (none for a byte's lowest bit)
  Bus generate;   // 4: the byte's sum is above 255
  Bus propagate;  // 4: it is exactly 255
  Wire signed_generate, signed_propagate;  // of byte 3 with both sign bits inverted
};

// First layer, where `when` (literals only) holds; all 0 elsewhere.
ByteSums sumBytes(Net& net, const Gate& when, const Bus& a, const Bus& b);

// Second layer. All of these are shut where the first layer was, provided that carry_in holds only
// where the first layer was open; `when` narrows them further.
// out[i] += bit i of a + b + carry_in.
void addSum(Net& net, const ByteSums& sums, const Gate& when, std::optional<Literal> carry_in,
            const Bus& out);
// out += amount where a + b + carry_in is 2^32 or more.
void addCarry(Net& net, const ByteSums& sums, const Gate& when, std::optional<Literal> carry_in,
              Wire out, int amount = 1);
// out += amount where the sum of the signed values is 0 or more.
void addSignedCarry(Net& net, const ByteSums& sums, const Gate& when,
                    std::optional<Literal> carry_in, Wire out, int amount = 1);
// out += amount where b is the complement of a, that is where a - ~b is 0.
void addComplement(Net& net, const ByteSums& sums, const Gate& when, Wire out, int amount = 1);

}  // namespace qgpu::circuit
