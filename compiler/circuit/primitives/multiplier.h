// Products of 32-bit words, as columns for the multi-operand adder of columns.h.
//
// A product is a sum of shifted copies of `a`, one for each one in `b`. Cut into radix-16 digits,
// each copy adds at most 15 to a column: one unit for each bit of b and each column, which is open
// where the bit is 1 and worth the digit. The copies of b's low and high half go to different
// wires, so that no column exceeds 255. The product is that of unsigned words; where
// `signed_operands` holds, each negative operand takes the other from the upper word, as the sum of
// its complement and 1.
//
//   const Columns columns = multiply(net, {mul, mad_lo, mad_hi, mad_hi_signed}, a, b, c);
//   const Bus totals = splitColumns(net, columns);                                    // and so on
#pragma once

#include "compiler/circuit/primitives/columns.h"

namespace qgpu::circuit {

struct MultiplyOperation {
  Literal active;
  Literal low;   // the addend joins at columns 0..7, for the low word of a * b + c
  Literal high;  // the addend joins at columns 8..15, for the high word of a * b, plus c
  Literal signed_operands;
};

// One layer; all columns are 0 while idle.
Columns multiply(Net& net, const MultiplyOperation& op, const Bus& a, const Bus& b,
                 const Bus& addend);

}  // namespace qgpu::circuit
