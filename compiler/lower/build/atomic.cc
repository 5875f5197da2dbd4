// atom and red.
#include <fmt/format.h>

#include "compiler/lower/build/address.h"
#include "compiler/lower/build/families.h"
#include "compiler/lower/build/repeat.h"

namespace qgpu::lower {

using isa::Opcode;
using ptx::bitWidth;

namespace {

Opcode atomicOpcode(const ptx::Instruction& i) {
  const bool is_signed = ptx::isSigned(i.type);
  switch (i.operation) {
    case ptx::Operation::And: return Opcode::AtomAnd;
    case ptx::Operation::Or: return Opcode::AtomOr;
    case ptx::Operation::Xor: return Opcode::AtomXor;
    case ptx::Operation::Cas: return Opcode::AtomCas;
    case ptx::Operation::Exch: return Opcode::AtomExch;
    case ptx::Operation::Min: return is_signed ? Opcode::AtomMin : Opcode::AtomMinu;
    case ptx::Operation::Max: return is_signed ? Opcode::AtomMax : Opcode::AtomMaxu;
    default: return Opcode::AtomAdd;
  }
}

// atom.inc and atom.dec: the old word, the new one made of it, and an exchange in one replay block.
// Lanes with one address run it one after another, and no other warp runs in between, so that the
// whole is one atomic step. Four instructions are all that a block holds: they are written here as
// they will stand there.
Id wrappingCount(Context& c, const ptx::Instruction& i, const Target& t, Id bound) {
  Builder& b = c.b;
  b.openCluster();
  Place place = t.place;
  place.is_volatile = true;
  Id next;
  if (i.operation == ptx::Operation::Inc) {
    // old < bound ? old + 1 : 0
    const Id old = b.load(t.space, place, c.guard);
    const Predicate below = b.compare(isa::Compare::Ltu, old, bound);
    next = b.emit({.op = Opcode::Add, .a = old, .b = b.constant(1), .c = b.zero(), .guard = below})
               .word;
  } else {
    // 0 < old <= bound ? old - 1 : bound
    Instruction less{.op = Opcode::Add, .a = b.constant(~0u), .b = place.index};
    less.c = c.guard.isAlways() ? kNone : c.f.undefined();
    less.guard = c.guard;
    less.memory = {t.space, place.scaled, true, place.is_generic, place.object, place.offset};
    const Id one_less = b.emit(less).word;
    next = b.select(b.compare(isa::Compare::Ltu, one_less, bound), one_less, bound);
  }
  const Id old = b.atomic(Opcode::AtomExch, t.space, place, next, c.guard);
  b.closeCluster();
  return old;
}

Id narrowAtomic(Context& c, const ptx::Instruction& i, const Target& t, std::size_t first) {
  const Id value = c.word(i, first + 1);
  switch (i.operation) {
    case ptx::Operation::Inc:
    case ptx::Operation::Dec: return wrappingCount(c, i, t, value);
    case ptx::Operation::Cas:
      return c.b.atomic(Opcode::AtomCas, t.space, t.place, c.word(i, first + 2), c.guard, value);
    default: return c.b.atomic(atomicOpcode(i), t.space, t.place, value, c.guard);
  }
}

// The operations on 64 bits that are two on 32, the lower words first. Lanes with one address take
// their turns in the same order both times and no other warp runs in between, so that the old words
// belong together.
Wide inTwoWords(Context& c, const ptx::Instruction& i, const Target& t, Wide value) {
  Builder& b = c.b;
  const Opcode op = atomicOpcode(i);
  const Id old = b.atomic(op, t.space, t.place, value.low, c.guard);
  Id high = value.high;
  if (op == Opcode::AtomAdd) {
    const Predicate carry = b.addWithCarry(old, value.low, Predicate::never()).flag;
    high = b.addWithCarry(high, b.zero(), carry).word;
  }
  return {old, b.atomic(op, t.space, shifted(t.place, 4), high, c.guard)};
}

// The new value of a minimum, a maximum or a comparison and exchange of 64 bits.
Wide replaced(Context& c, const ptx::Instruction& i, std::size_t first, Wide old) {
  Builder& b = c.b;
  const Wide value = c.pair(i, first + 1);
  if (i.operation == ptx::Operation::Cas) {
    const Wide differences = wide::bitwise(b, Opcode::Xor, old, value);
    const Id any = b.bitOr(differences.low, differences.high);
    return wide::select(b, b.isNonZero(any), old, c.pair(i, first + 2));
  }
  const bool least = i.operation == ptx::Operation::Min;
  const bool is_signed = ptx::isSigned(i.type);
  const Predicate replaces =
      least ? wide::less(b, value, old, is_signed) : wide::less(b, old, value, is_signed);
  return wide::select(b, replaces, value, old);
}

// Those that need all of the old value first: one lane after another reads and writes both words.
Wide laneByLane(Context& c, const ptx::Instruction& i, const Target& t, std::size_t first) {
  Builder& b = c.b;
  const auto lanes = std::min(c.f.block_threads, static_cast<std::uint32_t>(kMachine.lanes));
  const Place low = t.place, high = shifted(t.place, 4);
  // How many lanes go first; for lanes that the guard excludes, more than there are.
  const Id ahead = b.select(c.guard, c.f.special(isa::Special::Lane), b.constant(~0u));
  const auto found = repeat(c, lanes, {ahead, b.zero(), b.zero()}, [&](const auto& now) {
    const Predicate turn = b.compare(isa::Compare::Eq, now[0], b.zero());
    const Id old_low = b.load(t.space, low, turn);
    const Id old_high = b.load(t.space, high, turn);
    const Wide next = replaced(c, i, first, {old_low, old_high});
    b.store(t.space, low, next.low, turn);
    b.store(t.space, high, next.high, turn);
    return std::vector{b.sub(now[0], b.constant(1)), b.select(turn, old_low, now[1]),
                       b.select(turn, old_high, now[2])};
  });
  return {found[1], found[2]};
}

Wide wideAtomic(Context& c, const ptx::Instruction& i, Target t, std::size_t first) {
  switch (i.operation) {
    case ptx::Operation::Min:
    case ptx::Operation::Max:
    case ptx::Operation::Cas: t.place.is_volatile = true; return laneByLane(c, i, t, first);
    default: return inTwoWords(c, i, t, c.pair(i, first + 1));
  }
}

}  // namespace

void translateAtomic(Context& c, const ptx::Instruction& i) {
  const bool reduces = i.opcode == ptx::Opcode::Red;
  const std::size_t first = reduces ? 0 : 1;
  const int bits = bitWidth(i.type) * ptx::elements(i.vector);
  if (i.vector != ptx::Vector::None || (bits != 32 && bits != 64)) {
    const std::string what =
        fmt::format("{}-bit atomic operations ({}.{}.{})", bits, ptx::spelling(i.opcode),
                    ptx::spelling(i.operation), ptx::spelling(i.type));
    c.unsupportedEffect(what, "use 32-bit ones");
    return reduces ? void() : c.unsupportedResults(i, what, "use 32-bit ones");
  }
  Target t = targetOf(c, i, i.operands[first]);
  t.place.is_volatile = false;
  const Wide old = bits == 64 ? wideAtomic(c, i, t, first)
                              : wide::fromUnsigned(c.b, narrowAtomic(c, i, t, first));
  if (!reduces) c.setPair(i.operands[0], old);
}

}  // namespace qgpu::lower
