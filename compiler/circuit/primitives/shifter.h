// Shifts and rotations of 32-bit words in two layers, with PTX's clamping: an amount of 32 or more
// shifts everything out.
//
// A right shift by n is a left rotation by 32 - n = (31 - n) + 1. So the caller hands in the low
// five bits of the amount complemented for right shifts: then both directions rotate left by whole
// bytes in the first layer, and by the low three bits, plus one for right shifts, in the second.
// Bits that were rotated around the end are masked, or replaced by the sign.
//
//   const Shift shift = beginShift(net, {shifts, shl, shr, rotl, sar}, a, amount, high);
//   addShift(net, shift, result);
#pragma once

#include "compiler/circuit/net.h"

namespace qgpu::circuit {

// `active` where one of left, right and rotate_left holds; without it the shifter is idle.
struct ShiftOperation {
  Wire active;
  Wire left;         // zeros in
  Wire right;        // zeros in, or the sign where sign_fill holds too
  Wire rotate_left;  // by the amount modulo 32
  Wire sign_fill;
};

struct Shift {
  Bus bytes;   // 32: the word, rotated left by whole bytes
  Bus rotate;  // 9: one-hot, the bits to rotate left by, 0 to 8
  Bus keep;    // 32: bits that were not rotated around the end
  Wire overflow;
  Wire fill;
};

// First layer. `amount`: five bits, complemented where `right` holds. `high`: the amount's other
// bits, as they are.
Shift beginShift(Net& net, const ShiftOperation& op, const Bus& word, std::span<const Wire> amount,
                 std::span<const Wire> high);
// Second layer: out[i] += bit i of the result.
void addShift(Net& net, const Shift& shift, const Bus& out);

}  // namespace qgpu::circuit
