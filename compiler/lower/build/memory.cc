#include <fmt/format.h>

#include "compiler/lower/build/address.h"
#include "compiler/lower/build/families.h"

namespace qgpu::lower {

using isa::Opcode;
using ptx::bitWidth;

namespace {

bool isParameterSpace(ptx::Space space) {
  return space == ptx::Space::Param || space == ptx::Space::ParamEntry ||
         space == ptx::Space::ParamFunction;
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
  if (parameter < 0) return std::nullopt;
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

namespace {

// A store to a variable of its own is how a kernel passes an argument to a call.
bool passesArgument(const ptx::Instruction& i) {
  if (!isParameterSpace(i.space)) return false;
  const auto& address = std::get<ptx::Address>(i.operands[0].value);
  return std::holds_alternative<ptx::SymbolRef>(address.base);  // the kernel's own are not written
}

}  // namespace

void translateStore(Context& c, const ptx::Instruction& i) {
  if (passesArgument(i)) return;  // the call is refused; nothing else reads it
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

}  // namespace qgpu::lower
