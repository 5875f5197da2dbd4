// Division of 32-bit words, signed or unsigned, quotient and remainder, in 38 layers.
//
// Long division in radix 16. Both operands become eight digits of their absolute values, and the
// divisor's multiples d, 2d, .. 15d as many digits again (layers 1 to 4). Then, for each digit of
// the dividend, most significant first, the remainder takes it in and
//   1  is compared with every multiple, two digits at a time: greater or equal
//   2  so that a thermometer shows how many multiples fit: the quotient's digit
//   3  that multiple is subtracted digit by digit, without borrows
//   4  borrows are found digit by digit
//   5  and looked ahead
// in five layers, fewer for the first digits and where the comparison does not wait for a borrow.
// The last two layers turn digits into bits and give them their signs.
//
// Division by zero gives all ones for both; -2^31 / -1 is -2^31, remainder 0.
#pragma once

#include "compiler/circuit/net.h"

namespace qgpu::circuit {

// quotient += a / b, remainder += a % b where `active` holds. Everything else it makes belongs to
// the mode in force, if any; `active` must imply that mode.
void addDivision(Net& net, Literal active, Literal is_signed, const Bus& a, const Bus& b,
                 const Bus& quotient, const Bus& remainder);

}  // namespace qgpu::circuit
