#include "compiler/lower/build/families.h"

namespace qgpu::lower {

using isa::Compare;
using ptx::bitWidth;

namespace {

struct Relation {
  enum class Kind { Equal, Less } kind;
  bool swap;    // of the operands
  bool negate;  // of the result
  bool is_unsigned;
};

Relation relationOf(ptx::Compare compare, bool is_unsigned) {
  using ptx::Compare;
  using Kind = Relation::Kind;
  switch (compare) {
    case Compare::Eq: return {Kind::Equal, false, false, is_unsigned};
    case Compare::Ne: return {Kind::Equal, false, true, is_unsigned};
    case Compare::Lt: return {Kind::Less, false, false, is_unsigned};
    case Compare::Ge: return {Kind::Less, false, true, is_unsigned};
    case Compare::Gt: return {Kind::Less, true, false, is_unsigned};
    case Compare::Le: return {Kind::Less, true, true, is_unsigned};
    case Compare::Lo: return {Kind::Less, false, false, true};
    case Compare::Hs: return {Kind::Less, false, true, true};
    case Compare::Hi: return {Kind::Less, true, false, true};
    default: return {Kind::Less, true, true, true};
  }
}

Predicate compared(Context& c, const ptx::Instruction& i, ptx::Type type) {
  Builder& b = c.b;
  const Relation r = relationOf(i.compare, !ptx::isSigned(type));
  Predicate holds;
  if (bitWidth(type) == 64) {
    Wide x = c.pair(i, 1), y = c.pair(i, 2);
    if (r.swap) std::swap(x, y);
    holds = r.kind == Relation::Kind::Equal ? wide::equal(b, x, y)
                                            : wide::less(b, x, y, !r.is_unsigned);
  } else {
    Id x = c.extended(i, 1, type), y = c.extended(i, 2, type);
    if (r.swap) std::swap(x, y);
    const Compare order = r.is_unsigned ? Compare::Ltu : Compare::Lt;
    holds = b.compare(r.kind == Relation::Kind::Equal ? Compare::Eq : order, x, y);
  }
  return r.negate ? !holds : holds;
}

Predicate withTail(Builder& b, ptx::Boolean boolean, Predicate p, Predicate tail) {
  switch (boolean) {
    case ptx::Boolean::And: return b.both(p, tail);
    case ptx::Boolean::Or: return b.either(p, tail);
    case ptx::Boolean::Xor: return b.differ(p, tail);
    default: return p;
  }
}

}  // namespace

void translateCompare(Context& c, const ptx::Instruction& i) {
  const bool is_set = i.opcode == ptx::Opcode::Set;
  const Predicate holds = compared(c, i, is_set ? i.source_type : i.type);
  const bool has_tail = i.boolean != ptx::Boolean::None;
  const Predicate tail = has_tail ? c.flag(i.operands[3]) : Predicate::always();
  const Predicate first = withTail(c.b, i.boolean, holds, tail);
  if (is_set) return c.setWord(i.operands[0], c.b.select(first, c.b.constant(~0u), c.b.zero()));
  const auto* both = std::get_if<ptx::RegisterPair>(&i.operands[0].value);
  if (both == nullptr) return c.setFlag(i.operands[0], first);
  // The second result is made of the negated comparison, before the first one is written.
  const Predicate second = withTail(c.b, i.boolean, !holds, tail);
  c.setFlagRegister(both->first, first);
  c.setFlagRegister(both->second, second);
}

void translateSelect(Context& c, const ptx::Instruction& i) {
  Builder& b = c.b;
  Predicate p;
  if (i.opcode == ptx::Opcode::Selp)
    p = c.flag(i.operands[3]);
  else  // slct: a where c is not negative
    p = !b.compare(Compare::Lt, c.word(i, 3), b.zero());
  const Wide x = c.pair(i, 1), y = c.pair(i, 2);
  c.setPair(i.operands[0], bitWidth(i.type) == 64 ? wide::select(b, p, x, y)
                                                  : Wide{b.select(p, x.low, y.low), b.zero()});
}

}  // namespace qgpu::lower
