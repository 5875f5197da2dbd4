#include <fmt/format.h>

#include "compiler/lower/build/families.h"

namespace qgpu::lower {

using isa::Opcode;
using ptx::bitWidth;

namespace {

bool isParameterSpace(ptx::Space space) {
  return space == ptx::Space::Param || space == ptx::Space::ParamEntry ||
         space == ptx::Space::ParamFunction;
}

// Where in the machine's memories a PTX state space lies; nothing for the generic space.
std::optional<isa::Space> spaceOf(const Context& c, ptx::Space space) {
  switch (space) {
    case ptx::Space::Shared:
    case ptx::Space::SharedCta:
    case ptx::Space::SharedCluster: return isa::Space::Shared;
    case ptx::Space::Local: return c.placement.local_space;
    case ptx::Space::Global:
    case ptx::Space::Const: return isa::Space::Global;
    default: return std::nullopt;
  }
}

// A memory operand of PTX as the machine's.
struct Target {
  isa::Space space = isa::Space::Global;
  Place place;
};

Target targetOf(Context& c, const ptx::Instruction& i, const ptx::Operand& operand) {
  const auto& address = std::get<ptx::Address>(operand.value);
  Target t;
  const auto space = spaceOf(c, i.space);
  t.space = space.value_or(isa::Space::Global);
  t.place.is_generic = !space;
  t.place.is_volatile = i.order != ptx::Order::None && i.order != ptx::Order::Weak;
  Id base = c.b.zero();
  if (const auto* reg = std::get_if<ptx::RegisterId>(&address.base))
    base = c.word({.value = ptx::Register{*reg, false}, .position = operand.position});
  if (const auto* symbol = std::get_if<ptx::SymbolRef>(&address.base))
    base = c.addressOf(*symbol, 0).low;
  t.place.index = c.b.add(base, c.b.constant(static_cast<std::uint32_t>(address.offset)));
  return t;
}

Place shifted(Place place, std::uint32_t bytes) {
  place.offset += static_cast<std::int32_t>(bytes);
  return place;
}

Opcode loadOpcode(ptx::Type type) {
  const bool is_signed = ptx::isSigned(type);
  switch (bitWidth(type)) {
    case 8: return is_signed ? Opcode::Ldbs : Opcode::Ldb;
    case 16: return is_signed ? Opcode::Ldhs : Opcode::Ldh;
    default: return Opcode::Mov;
  }
}
Opcode storeOpcode(ptx::Type type) {
  const int bits = bitWidth(type);
  return bits == 8 ? Opcode::Stb : bits == 16 ? Opcode::Sth : Opcode::St;
}

// The value of one element, extended to a pair as a wide register wants it.
Wide widened(Builder& b, Id word, ptx::Type type) {
  return ptx::isSigned(type) ? wide::fromSigned(b, word) : wide::fromUnsigned(b, word);
}

Wide loadElement(Context& c, const Target& t, ptx::Type type) {
  if (bitWidth(type) == 64)
    return {c.b.load(t.space, t.place, c.guard), c.b.load(t.space, shifted(t.place, 4), c.guard)};
  return widened(c.b, c.b.load(t.space, t.place, c.guard, loadOpcode(type)), type);
}

// ---- kernel parameters: words that the host sends

Id argumentWord(Context& c, int parameter, std::uint32_t offset) {
  const int object = c.placement.parameter_objects[parameter];
  if (object < 0) return c.f.argument({parameter, static_cast<int>(offset)});
  if (offset != 0) return c.b.zero();  // the upper half of a pointer
  return c.b.constant(c.placement.objects[object].address, object);
}

Wide loadParameter(Context& c, int parameter, std::uint32_t offset, ptx::Type type) {
  const std::uint32_t aligned = offset & ~3u, bits = static_cast<std::uint32_t>(bitWidth(type));
  const Id word = argumentWord(c, parameter, aligned);
  if (bits == 64) return {word, argumentWord(c, parameter, aligned + 4)};
  if (bits == 32) return widened(c.b, word, type);
  // A scalar's own word has zeros above it already.
  const bool whole = c.shape.parameters[parameter].bytes * 8 == bits && !ptx::isSigned(type);
  const Id moved = c.b.shiftRightBy(word, 8 * (offset & 3));
  return widened(c.b, whole ? moved : c.extend(moved, type), type);
}

// The parameter an address means, if that is known.
struct ParameterAddress {
  int parameter;
  std::uint32_t offset;
};
std::optional<ParameterAddress> parameterOf(Context& c, Id address) {
  if (!c.f.isConstant(address)) return std::nullopt;
  const Instruction& k = c.f[address];
  const int parameter = k.memory.object - kFirstParameterObject;
  if (parameter < 0 || parameter >= static_cast<int>(c.shape.parameters.size()))
    return std::nullopt;
  return ParameterAddress{parameter, k.immediate};
}

void refuseLoad(Context& c, const ptx::Instruction& i, const char* why, const char* hint) {
  c.unsupportedResults(i, why, hint);
}

void setElement(Context& c, const ptx::Instruction& i, std::size_t n, Wide value) {
  const auto* vector = std::get_if<ptx::VectorOperand>(&i.operands[0].value);
  c.setPair(vector == nullptr ? i.operands[0] : vector->elements[n], value);
}

bool isMisaligned(const ParameterAddress& p, std::uint32_t bytes, std::uint32_t size) {
  return p.offset % std::min(bytes, 4u) != 0 || p.offset + bytes > size;
}

void translateParameterLoad(Context& c, const ptx::Instruction& i, Id address) {
  const auto p = parameterOf(c, address);
  if (!p)
    return refuseLoad(c, i, "a kernel parameter indexed by a variable",
                      "copy the struct's array into shared memory, or pass an array");
  const auto bytes = static_cast<std::uint32_t>(bitWidth(i.type) / 8);
  for (int n = 0; n < ptx::elements(i.vector); ++n) {
    const ParameterAddress element{p->parameter, p->offset + bytes * static_cast<std::uint32_t>(n)};
    const auto size = static_cast<std::uint32_t>(c.kernel.parameters[p->parameter].size);
    if (isMisaligned(element, bytes, size))
      return refuseLoad(c, i, "a load beside the kernel's parameters", "");
    setElement(c, i, static_cast<std::size_t>(n),
               loadParameter(c, element.parameter, element.offset, i.type));
  }
}

}  // namespace

void translateLoad(Context& c, const ptx::Instruction& i) {
  const Target t = targetOf(c, i, i.operands[1]);
  if (isParameterSpace(i.space) || (t.place.is_generic && parameterOf(c, t.place.index)))
    return translateParameterLoad(c, i, t.place.index);
  if (bitWidth(i.type) > 64) return refuseLoad(c, i, "128-bit values", "use smaller ones");
  // All elements are read before any register is written: one of them may hold the address.
  std::vector<Wide> values;
  const auto bytes = static_cast<std::uint32_t>(bitWidth(i.type) / 8);
  for (int n = 0; n < ptx::elements(i.vector); ++n)
    values.push_back(
        loadElement(c, {t.space, shifted(t.place, bytes * static_cast<std::uint32_t>(n))}, i.type));
  for (std::size_t n = 0; n < values.size(); ++n) setElement(c, i, n, values[n]);
}

void translateStore(Context& c, const ptx::Instruction& i) {
  const Target t = targetOf(c, i, i.operands[0]);
  if (isParameterSpace(i.space) || bitWidth(i.type) > 64 || i.space == ptx::Space::Const)
    return c.unsupportedEffect(fmt::format("a store to .{}", ptx::spelling(i.space)),
                               "kernel parameters and constants cannot be written");
  const auto* vector = std::get_if<ptx::VectorOperand>(&i.operands[1].value);
  const auto bytes = static_cast<std::uint32_t>(bitWidth(i.type) / 8);
  for (int n = 0; n < ptx::elements(i.vector); ++n) {
    const Place place = shifted(t.place, bytes * static_cast<std::uint32_t>(n));
    const Wide value = c.pair(vector == nullptr ? i.operands[1] : vector->elements[n]);
    c.b.store(t.space, place, value.low, c.guard, storeOpcode(i.type));
    if (bytes == 8) c.b.store(t.space, shifted(place, 4), value.high, c.guard);
  }
}

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

}  // namespace

void translateAtomic(Context& c, const ptx::Instruction& i) {
  const bool reduces = i.opcode == ptx::Opcode::Red;
  const std::size_t first = reduces ? 0 : 1;
  if (i.vector != ptx::Vector::None || bitWidth(i.type) != 32) {
    const std::string what = fmt::format(
        "{}-bit atomic operations ({}.{}.{})", bitWidth(i.type) * ptx::elements(i.vector),
        ptx::spelling(i.opcode), ptx::spelling(i.operation), ptx::spelling(i.type));
    c.unsupportedEffect(what, "use 32-bit ones");
    return reduces ? void() : c.unsupportedResults(i, what, "use 32-bit ones");
  }
  Target t = targetOf(c, i, i.operands[first]);
  t.place.is_volatile = false;
  Id old;
  if (i.operation == ptx::Operation::Inc || i.operation == ptx::Operation::Dec) {
    old = wrappingCount(c, i, t, c.word(i, first + 1));
  } else if (i.operation == ptx::Operation::Cas) {
    old = c.b.atomic(Opcode::AtomCas, t.space, t.place, c.word(i, first + 2), c.guard,
                     c.word(i, first + 1));
  } else {
    old = c.b.atomic(atomicOpcode(i), t.space, t.place, c.word(i, first + 1), c.guard);
  }
  if (!reduces) c.setWord(i.operands[0], old);
}

}  // namespace qgpu::lower
