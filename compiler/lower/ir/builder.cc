#include "compiler/lower/ir/builder.h"

#include "compiler/lower/ir/fold.h"

namespace qgpu::lower {

using isa::Compare;
using isa::Opcode;

Value Builder::emit(Instruction i) {
  i.origin = origin_;
  i.cluster = cluster_;
  if (auto known = fold(*this, i)) return *known;
  return append(std::move(i));
}

Value Builder::append(Instruction i) {
  const Id id = f_.add(std::move(i));
  f_.blocks[block_].body.push_back(id);
  return {id, {id}};
}

Id Builder::operation(Opcode op, Id a, Id b, Id c) {
  return emit({.op = op, .a = a, .b = b, .c = c}).word;
}

Id Builder::extendUnsigned(Id a, int bits) { return mask(a, (1u << bits) - 1); }

Id Builder::extendSigned(Id a, int bits) {
  if (bits == 8) return permute(a, zero(), 0x8880);
  if (bits == 16) return permute(a, zero(), 0x9910);
  const auto unused = static_cast<std::uint32_t>(32 - bits);
  return shiftRightSignedBy(shiftLeftBy(a, unused), unused);
}

Id Builder::select(Predicate p, Id if_true, Id if_false) {
  return emit({.op = Opcode::Mov, .b = if_true, .c = if_false, .guard = p}).word;
}

Predicate Builder::compare(Compare relation, Id a, Id b) {
  const auto code = static_cast<unsigned>(relation);
  const auto even = static_cast<Compare>(code & ~1u);
  const Predicate p = emit({.op = Opcode::Setp, .compare = even, .a = a, .b = b}).flag;
  return (code & 1) != 0 ? !p : p;
}

Predicate Builder::logic(Opcode op, Predicate a, Predicate b) {
  return emit({.op = op, .guard = a, .second = b}).flag;
}

Predicate Builder::select(Predicate p, Predicate if_true, Predicate if_false) {
  if (p.isConstant()) return p.isAlways() ? if_true : if_false;
  if (if_true == if_false) return if_true;
  if (if_true.isConstant()) return if_true.isAlways() ? either(p, if_false) : both(!p, if_false);
  if (if_false.isConstant()) return if_false.isAlways() ? either(!p, if_true) : both(p, if_true);
  if (if_true == !if_false) return differ(p, if_false);
  return either(both(p, if_true), both(!p, if_false));
}

Value Builder::addWithCarry(Id a, Id b, Predicate carry) {
  if (carry.isNever()) return emit({.op = Opcode::Add, .compare = Compare::Carry, .a = a, .b = b});
  return emit({.op = Opcode::Addc, .compare = Compare::Carry, .a = a, .b = b, .guard = carry});
}

Value Builder::subWithBorrow(Id a, Id b, Predicate no_borrow) {
  const bool first = no_borrow.isAlways();
  Value v = emit({.op = first ? Opcode::Sub : Opcode::Subc,
                  .compare = Compare::Ltu,
                  .a = a,
                  .b = b,
                  .guard = first ? Predicate::always() : no_borrow});
  v.flag = !v.flag;
  return v;
}

Predicate Builder::compareWithBorrow(Compare relation, Id a, Id b, Predicate no_borrow) {
  if (no_borrow.isAlways()) return compare(relation, a, b);
  return emit({.op = Opcode::Subc, .compare = relation, .a = a, .b = b, .guard = no_borrow}).flag;
}

Id Builder::quotient(bool is_signed, Id a, Id b) {
  const Id division = operation(is_signed ? Opcode::Div : Opcode::Divu, a, b);
  return operation(Opcode::Quo, division, kNone);
}

Id Builder::remainder(bool is_signed, Id a, Id b) {
  const Id division = operation(is_signed ? Opcode::Div : Opcode::Divu, a, b);
  return operation(Opcode::Rem, division, kNone);
}

namespace {

MemoryOperand operandOf(isa::Space space, const Place& place) {
  return {space, place.scaled, place.is_volatile, place.is_generic, place.object, place.offset};
}

}  // namespace

Id Builder::load(isa::Space space, Place place, Predicate guard, Opcode op) {
  return emit({.op = op,
               .b = place.index,
               .c = guard.isAlways() ? kNone : f_.undefined(),
               .guard = guard,
               .memory = operandOf(space, place)})
      .word;
}

void Builder::store(isa::Space space, Place place, Id value, Predicate guard, Opcode op) {
  emit({.op = op, .b = place.index, .c = value, .guard = guard, .memory = operandOf(space, place)});
}

Id Builder::atomic(Opcode op, isa::Space space, Place place, Id value, Predicate guard,
                   Id compare_with) {
  return emit({.op = op,
               .a = compare_with,
               .b = place.index,
               .c = value,
               .guard = guard,
               .memory = operandOf(space, place)})
      .word;
}

Id Builder::unsupported(std::string message, std::string hint, bool effect) {
  f_.complaints.push_back({std::move(message), std::move(hint)});
  const auto index = static_cast<std::uint32_t>(f_.complaints.size() - 1);
  Instruction i{.kind = Kind::Unsupported, .immediate = index, .origin = origin_};
  i.aux = effect ? 1 : 0;
  return append(std::move(i)).word;
}

}  // namespace qgpu::lower
