#include "compiler/launch/element_type.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "interpreter/base/failure.h"

namespace qgpu::launch {
namespace {

struct TypeRow {
  ElementType type;
  std::string_view name;
  std::size_t size;
  bool is_signed;
};

constexpr std::array<TypeRow, 9> kTypes = {{
    {ElementType::Int, "int", 4, true},
    {ElementType::Unsigned, "unsigned", 4, false},
    {ElementType::Int8, "int8", 1, true},
    {ElementType::Uint8, "uint8", 1, false},
    {ElementType::Int16, "int16", 2, true},
    {ElementType::Uint16, "uint16", 2, false},
    {ElementType::Int64, "int64", 8, true},
    {ElementType::Uint64, "uint64", 8, false},
    {ElementType::Float, "float", 4, true},
}};

const TypeRow& row(ElementType type) {
  const auto index = static_cast<std::size_t>(type);
  check(index < kTypes.size(), "an element type has a row");
  return kTypes[index];
}

// The greatest magnitude an integer type holds on either side of zero.
std::uint64_t greatestMagnitude(ElementType type, bool negative) {
  const TypeRow& r = row(type);
  const auto bits = static_cast<int>(8 * r.size);
  if (!r.is_signed) return negative ? 0 : ~std::uint64_t{0} >> (64 - bits);
  const std::uint64_t half = std::uint64_t{1} << (bits - 1);
  return negative ? half : half - 1;
}

}  // namespace

std::size_t sizeOf(ElementType type) { return row(type).size; }
bool isSigned(ElementType type) { return row(type).is_signed; }
std::string_view name(ElementType type) { return row(type).name; }

std::optional<ElementType> elementTypeNamed(std::string_view text) {
  if (text == "uint" || text == "unsigned int" || text == "uint32") return ElementType::Unsigned;
  if (text == "int32") return ElementType::Int;
  for (const TypeRow& r : kTypes)
    if (r.name == text) return r.type;
  return std::nullopt;
}

const std::string& elementTypeNames() {
  static const std::string names = [] {
    std::string list;
    for (const TypeRow& r : kTypes) list += fmt::format("{}{}", list.empty() ? "" : ", ", r.name);
    return list;
  }();
  return names;
}

std::string rangeText(ElementType type) {
  if (type == ElementType::Float) return "the range of a 32-bit float";
  return fmt::format("{} to {}", Integer{true, greatestMagnitude(type, true)}.text(),
                     greatestMagnitude(type, false));
}

std::string Integer::text() const {
  return fmt::format("{}{}", negative && magnitude != 0 ? "-" : "", magnitude);
}

std::optional<Integer> parseInteger(std::string_view text) {
  Integer value;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    value.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value.magnitude, base);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> encode(ElementType type, Integer value) {
  if (type == ElementType::Float) {
    const auto magnitude = static_cast<float>(value.magnitude);
    return std::bit_cast<std::uint32_t>(value.negative ? -magnitude : magnitude);
  }
  if (value.magnitude > greatestMagnitude(type, value.negative)) return std::nullopt;
  return value.negative ? std::uint64_t{0} - value.magnitude : value.magnitude;
}

std::optional<std::uint64_t> encodeFloat(double value) {
  const auto rounded = static_cast<float>(value);
  if (!std::isfinite(rounded)) return std::nullopt;
  return std::bit_cast<std::uint32_t>(rounded);
}

void appendElement(std::vector<std::uint8_t>& bytes, ElementType type, std::uint64_t bits) {
  for (std::size_t i = 0; i < sizeOf(type); ++i)
    bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
}

std::uint64_t elementBits(const std::vector<std::uint8_t>& bytes, ElementType type,
                          std::size_t index) {
  const std::size_t size = sizeOf(type);
  check(index < bytes.size() / size, "an element's index is inside its array");
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size; ++i) bits |= std::uint64_t{bytes[index * size + i]} << (8 * i);
  return bits;
}

std::string elementText(ElementType type, std::uint64_t bits) {
  const auto width = static_cast<int>(8 * sizeOf(type));
  if (type == ElementType::Float)
    return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (!isSigned(type)) return fmt::format("{}", bits << (64 - width) >> (64 - width));
  return fmt::format("{}", static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width));
}

}  // namespace qgpu::launch
