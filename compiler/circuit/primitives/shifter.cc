#include "compiler/circuit/primitives/shifter.h"

#include "compiler/circuit/primitives/functions.h"
#include "compiler/circuit/primitives/logic.h"

namespace qgpu::circuit {
namespace {

constexpr int kBits = 32;

// relu basis of the masks: bit i survives a left shift where amount <= i, and a right shift, whose
// complemented amount is c = 31 - n, where i <= c.
void addMask(Net& net, const ShiftOperation& op, const Form& amount, const Bus& keep) {
  for (int i = 0; i < kBits; ++i) {
    addFunction(net, keep[i], op.left, amount, [i](int n) { return n <= i; });
    addFunction(net, keep[i], op.right, amount, [i](int n) { return n >= i; });
    net.add(keep[i], op.rotate_left);
  }
}

}  // namespace

Shift beginShift(Net& net, const ShiftOperation& op, const Bus& word, std::span<const Wire> amount,
                 std::span<const Wire> high) {
  const auto scope = net.scope("shift");
  Shift shift{net.wires("bytes", kBits), net.wires("rotate", 9), net.wires("keep", kBits),
              net.wire("overflow"), net.wire("fill")};
  for (unsigned bytes = 0; bytes < 4; ++bytes)
    for (int i = 0; i < kBits; ++i)
      net.add(shift.bytes[(i + 8 * static_cast<int>(bytes)) % kBits],
              op.active & spells(amount.last(2), bytes), word[i]);
  for (unsigned bits = 0; bits < 8; ++bits) {
    const Gate matches = spells(amount.first(3), bits);
    net.add(shift.rotate[bits], matches & op.left);
    net.add(shift.rotate[bits], matches & op.rotate_left);
    net.add(shift.rotate[bits + 1], matches & op.right);
  }
  addMask(net, op, number(amount), shift.keep);
  addAtLeast(net, shift.overflow, op.active & !op.rotate_left, count(high), 1);
  net.add(shift.fill, op.sign_fill & word[31]);
  return shift;
}

void addShift(Net& net, const Shift& shift, const Bus& out) {
  const auto scope = net.scope("shift");
  for (int i = 0; i < kBits; ++i) {
    net.add(out[i], shift.fill);
    for (int bits = 0; bits <= 8; ++bits)
      net.add(out[i], shift.rotate[bits] & shift.keep[i] & !shift.overflow,
              Form(shift.bytes[(i + kBits - bits) % kBits]) - shift.fill);
  }
}

}  // namespace qgpu::circuit
