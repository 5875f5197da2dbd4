#include <algorithm>
#include <bit>

#include "compiler/lower/build/families.h"

namespace qgpu::lower {

using isa::Opcode;
using ptx::bitWidth;

namespace {

// A decimal literal is a double; a single-precision move takes it rounded.
Wide moved(Context& c, const ptx::Instruction& i, const ptx::Operand& source) {
  if (const auto* special = std::get_if<ptx::SpecialRegister>(&source.value))
    return wide::fromUnsigned(c.b, c.special(*special, i));
  const auto* literal = std::get_if<ptx::Immediate>(&source.value);
  if (literal != nullptr && literal->kind == ptx::Immediate::Kind::Float64 &&
      i.type == ptx::Type::F32) {
    const auto narrow = static_cast<float>(std::bit_cast<double>(literal->bits));
    return wide::constant(c.b, std::bit_cast<std::uint32_t>(narrow));
  }
  return c.pair(source);
}

// The parts of a vector operand as one value, the first lowest.
Wide packed(Context& c, const ptx::VectorOperand& parts, int bits) {
  Builder& b = c.b;
  const auto& e = parts.elements;
  const int part = bits / static_cast<int>(e.size());
  if (part == 32) return {c.word(e[0]), c.word(e[1])};
  const auto join16 = [&](Id low, Id high) { return b.permute(low, high, 0x5410); };
  if (part == 16 && e.size() == 2) return {join16(c.word(e[0]), c.word(e[1])), b.zero()};
  if (part == 16) return {join16(c.word(e[0]), c.word(e[1])), join16(c.word(e[2]), c.word(e[3]))};
  Id all = b.zero();
  for (std::size_t n = e.size(); n-- > 0;)
    all = b.bitOr(b.shiftLeftBy(all, static_cast<std::uint32_t>(part)),
                  b.extendUnsigned(c.word(e[n]), part));
  return {all, b.zero()};
}

void unpack(Context& c, const ptx::VectorOperand& parts, Wide value, int bits) {
  const auto& e = parts.elements;
  const int part = bits / static_cast<int>(e.size());
  for (std::size_t n = 0; n < e.size(); ++n) {
    const int at = part * static_cast<int>(n);
    const Id word = at >= 32 ? value.high : value.low;
    c.setWord(e[n], c.b.shiftRightBy(word, static_cast<std::uint32_t>(at % 32)));
  }
}

void moveVector(Context& c, const ptx::Instruction& i) {
  const auto* to = std::get_if<ptx::VectorOperand>(&i.operands[0].value);
  const auto* from = std::get_if<ptx::VectorOperand>(&i.operands[1].value);
  if (bitWidth(i.type) > 64)
    return c.unsupportedResults(i, "128-bit values (" + nameOf(i) + ")", "use smaller ones");
  if (i.vector != ptx::Vector::None && from == nullptr)
    return c.unsupportedResults(i, "a special register as a vector", "read its components");
  if (to != nullptr && from != nullptr) {
    std::vector<Wide> values;
    for (const ptx::Operand& e : from->elements) values.push_back(c.pair(e));
    for (std::size_t n = 0; n < to->elements.size(); ++n) c.setPair(to->elements[n], values[n]);
    return;
  }
  if (to != nullptr) return unpack(c, *to, moved(c, i, i.operands[1]), bitWidth(i.type));
  c.setPair(i.operands[0], packed(c, *from, bitWidth(i.type)));
}

}  // namespace

void translateMove(Context& c, const ptx::Instruction& i) {
  const auto isVector = [](const ptx::Operand& o) {
    return std::holds_alternative<ptx::VectorOperand>(o.value);
  };
  if (isVector(i.operands[0]) || isVector(i.operands[1])) return moveVector(c, i);
  if (i.type == ptx::Type::Pred) return c.setFlag(i.operands[0], c.flag(i.operands[1]));
  if (bitWidth(i.type) > 64)
    return c.unsupportedResults(i, "128-bit values (" + nameOf(i) + ")", "use smaller ones");
  c.setPair(i.operands[0], moved(c, i, i.operands[1]));
}

namespace {

// The numbers a type holds.
std::pair<std::int64_t, std::int64_t> rangeOf(ptx::Type type) {
  const int bits = bitWidth(type);
  if (!ptx::isSigned(type)) return {0, bits == 64 ? INT64_MAX : (std::int64_t{1} << bits) - 1};
  return bits == 64
             ? std::pair{INT64_MIN, INT64_MAX}
             : std::pair{-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
}

// cvt.sat: the value, exact as a 64-bit number of the given sign, clamped to the type's range.
Wide clamped(Builder& b, Wide x, bool x_signed, bool x_is_wide, ptx::Type type) {
  const auto [low, high] = rangeOf(type);
  if (!x_is_wide && bitWidth(type) < 32) {
    const auto bound = [&](std::int64_t value) {
      return b.constant(static_cast<std::uint32_t>(value));
    };
    if (!x_signed) return {b.operation(Opcode::Minu, x.low, bound(high)), b.zero()};
    const Id raised = b.operation(Opcode::Max, x.low, bound(low));
    return wide::fromSigned(b, b.operation(Opcode::Min, raised, bound(high)));
  }
  const auto bound = [&](std::int64_t value) {
    return wide::constant(b, static_cast<std::uint64_t>(value));
  };
  if (x_signed) x = wide::select(b, wide::less(b, x, bound(low), true), bound(low), x);
  return wide::select(b, wide::less(b, bound(high), x, x_signed), bound(high), x);
}

// The source as a 64-bit number: a narrower one extended, whatever the register's width.
Wide sourceOf(Context& c, const ptx::Instruction& i) {
  const Wide raw = moved(c, i, i.operands[1]);
  if (bitWidth(i.source_type) == 64) return raw;
  const Id word = c.extend(raw.low, i.source_type);
  return ptx::isSigned(i.source_type) ? wide::fromSigned(c.b, word) : wide::fromUnsigned(c.b, word);
}

}  // namespace

void translateConvert(Context& c, const ptx::Instruction& i) {
  if (i.has(ptx::Flag::Pack))
    return c.unsupportedResults(i, "cvt.pack", "pack with shifts and ors");
  Builder& b = c.b;
  Wide value = sourceOf(c, i);
  if (i.has(ptx::Flag::Saturate))
    value = clamped(b, value, ptx::isSigned(i.source_type), bitWidth(i.source_type) == 64, i.type);
  const int bits = bitWidth(i.type);
  if (bits < 64) {
    // A wider register takes the result extended; a 16-bit one holds anything above.
    const bool exact = bits == c.destinationBits(i.operands[0]);
    const Id word = exact ? value.low : c.extend(value.low, i.type);
    value = ptx::isSigned(i.type) ? wide::fromSigned(b, word) : wide::fromUnsigned(b, word);
  }
  c.setPair(i.operands[0], value);
}

namespace {

bool liesIn(const Object& object, ptx::Space space) {
  switch (space) {
    case ptx::Space::Shared:
    case ptx::Space::SharedCta:
    case ptx::Space::SharedCluster: return object.space == isa::Space::Shared && object.stride == 0;
    case ptx::Space::Local: return object.stride != 0;
    case ptx::Space::Global: return object.space == isa::Space::Global && object.stride == 0;
    default: return false;
  }
}

}  // namespace

// Addresses of all windows are plain byte addresses: cvta changes nothing. Which memory a generic
// access means follows from where its address comes from.
void translateAddressSpace(Context& c, const ptx::Instruction& i) {
  if (i.opcode == ptx::Opcode::Cvta) return c.setPair(i.operands[0], c.pair(i, 1));
  const Id address = c.word(i, 1);
  const int object = c.f.isConstant(address) ? c.f[address].memory.object : kNoObject;
  if (object < 0 || object >= static_cast<int>(c.placement.objects.size()))
    return c.unsupportedResults(i, "isspacep on a pointer that may mean any memory",
                                "use pointers into one memory");
  const bool inside = liesIn(c.placement.objects[object], i.space);
  c.setFlag(i.operands[0], inside ? Predicate::always() : Predicate::never());
}

}  // namespace qgpu::lower
