// Bitwise logic, shifts and byte permutation.
#include <bit>

#include "compiler/lower/ir/facts.h"
#include "compiler/lower/ir/fold_rules.h"

namespace qgpu::lower::rules {

using isa::Opcode;

namespace {

// (u op constant) op constant
Folded joinConstants(Builder& b, const Instruction& i) {
  const Function& f = b.function();
  const Instruction* inner = asOperation(f, i.a, i.op);
  if (inner == nullptr || !f.isConstant(inner->b)) return std::nullopt;
  const Id k = b.operation(i.op, inner->b, i.b);
  return word(b.operation(i.op, inner->a, k));
}

Folded conjunction(Builder& b, const Instruction& i, std::uint32_t mask) {
  const Function& f = b.function();
  const std::uint32_t possible = facts(f, i.a).most();
  if ((possible & mask) == 0) return word(b.zero());
  if ((possible & ~mask) == 0) return word(i.a);
  // A wider mask or an extension below keeps the bits that count.
  const Instruction* inner = asOperation(f, i.a, Opcode::Prmt);
  if (inner != nullptr && f.isConstant(inner->c)) {
    const std::uint32_t selector = f[inner->c].immediate;
    const bool low_byte = (selector & 15) == 0 && mask <= 0xff;
    const bool low_half = (selector & 255) == 0x10 && mask <= 0xffff;
    if (low_byte || low_half) return word(b.bitAnd(inner->a, i.b));
  }
  // (u | v) & mask where v has none of its bits.
  for (const Opcode op : {Opcode::Or, Opcode::Xor}) {
    inner = asOperation(f, i.a, op);
    if (inner != nullptr && f.isConstant(inner->b) && (f[inner->b].immediate & mask) == 0)
      return word(b.bitAnd(inner->a, i.b));
  }
  return std::nullopt;
}

// (u << n) | (u >> (32 - n)), in either order.
Folded rotation(Builder& b, const Instruction& i) {
  const Function& f = b.function();
  const Instruction* left = asOperation(f, i.a, Opcode::Shl);
  const Instruction* right = asOperation(f, i.b, Opcode::Shr);
  if (left == nullptr || right == nullptr) {
    left = asOperation(f, i.b, Opcode::Shl);
    right = asOperation(f, i.a, Opcode::Shr);
  }
  if (left == nullptr || right == nullptr || left->a != right->a) return std::nullopt;
  const auto n = constantOf(f, left->b), m = constantOf(f, right->b);
  if (!n || !m || *n + *m != 32) return std::nullopt;
  return word(b.rotateLeft(left->a, left->b));
}

// (0 - u) & v where u is 0 or 1: u times v.
Folded maskByBit(Builder& b, Id mask, Id v) {
  const Function& f = b.function();
  const Instruction* negated = asOperation(f, mask, Opcode::Sub);
  if (negated == nullptr || !f.isConstant(negated->a, 0)) return std::nullopt;
  if (facts(f, negated->b).most() > 1) return std::nullopt;
  return word(b.mul(negated->b, v));
}

}  // namespace

Folded logic(Builder& b, Instruction& i) {
  const Function& f = b.function();
  if (i.a == i.b) return word(i.op == Opcode::Xor || i.op == Opcode::Andn ? b.zero() : i.a);
  if (i.op == Opcode::Andn) {
    if (const auto k = constantOf(f, i.b)) return word(b.mask(i.a, ~*k));
    if (f.isConstant(i.a, 0)) return word(i.a);
    return std::nullopt;
  }
  if (i.op == Opcode::And) {
    if (auto known = maskByBit(b, i.a, i.b)) return known;
    if (auto known = maskByBit(b, i.b, i.a)) return known;
  }
  const auto k = constantOf(f, i.b);
  if (!k) return i.op == Opcode::And ? std::nullopt : rotation(b, i);
  if (*k == 0) return word(i.op == Opcode::And ? i.b : i.a);
  if (*k == ~0u && i.op != Opcode::Xor) return word(i.op == Opcode::And ? i.a : i.b);
  if (auto known = joinConstants(b, i)) return known;
  if (i.op == Opcode::And) return conjunction(b, i, *k);
  return std::nullopt;
}

Folded shift(Builder& b, Instruction& i) {
  const Function& f = b.function();
  if (f.isConstant(i.a, 0)) return word(i.a);
  if (i.op == Opcode::Sar && facts(f, i.a).isNonNegative()) i.op = Opcode::Shr;
  const auto n = constantOf(f, i.b);
  if (!n) return std::nullopt;
  if (*n == 0) return word(i.a);
  if (i.op == Opcode::Rotl)
    return *n >= 32 ? word(b.rotateLeft(i.a, b.constant(*n & 31))) : std::nullopt;
  if (*n >= 32) {
    if (i.op != Opcode::Sar) return word(b.zero());
    return word(b.shiftRightSignedBy(i.a, 31));
  }
  if (i.op == Opcode::Shr && (facts(f, i.a).most() >> *n) == 0) return word(b.zero());
  // Two shifts one way are one.
  const Instruction* inner = asOperation(f, i.a, i.op);
  if (inner != nullptr && f.isConstant(inner->b)) {
    const std::uint32_t total = *n + f[inner->b].immediate;
    return word(b.operation(i.op, inner->a, b.constant(total)));
  }
  // Up and down again keeps the low bits, down and up the high ones.
  inner = asOperation(f, i.a, i.op == Opcode::Shl ? Opcode::Shr : Opcode::Shl);
  if (inner != nullptr && i.op != Opcode::Sar && constantOf(f, inner->b) == n) {
    const std::uint32_t mask = i.op == Opcode::Shl ? ~0u << *n : ~0u >> *n;
    return word(b.mask(inner->a, mask));
  }
  // (u << n) >> n, signed, where nothing was lost.
  if (inner != nullptr && i.op == Opcode::Sar && constantOf(f, inner->b) == n) {
    if (facts(f, inner->a).sign_bits > static_cast<int>(*n)) return word(inner->a);
    if (*n == 16) return word(b.extendSigned(inner->a, 16));
    if (*n == 24) return word(b.extendSigned(inner->a, 8));
  }
  return std::nullopt;
}

Folded permutation(Builder& b, Instruction& i) {
  const Function& f = b.function();
  const auto selector = constantOf(f, i.c);
  if (!selector) return std::nullopt;
  if ((*selector & 0xffff) == 0x3210) return word(i.a);
  if ((*selector & 0xffff) == 0x7654) return word(i.b);
  for (const auto& [bits, pattern] : {std::pair{8, 0x8880u}, std::pair{16, 0x9910u}}) {
    if ((*selector & 0xffff) != pattern) continue;
    if (facts(f, i.a).fitsSigned(bits)) return word(i.a);
    // The bits below come from under a mask or another extension.
    const std::uint32_t kept = (1u << bits) - 1;
    const Instruction* inner = asOperation(f, i.a, Opcode::And);
    if (inner != nullptr && f.isConstant(inner->b) && (f[inner->b].immediate & kept) == kept)
      return word(b.permute(inner->a, i.b, pattern));
    const std::uint32_t nibbles = bits == 8 ? 0xf : 0xff;
    inner = asOperation(f, i.a, Opcode::Prmt);
    if (inner != nullptr && f.isConstant(inner->c) &&
        (f[inner->c].immediate & nibbles) == (0x10 & nibbles))
      return word(b.permute(inner->a, i.b, pattern));
  }
  return std::nullopt;
}

}  // namespace qgpu::lower::rules
