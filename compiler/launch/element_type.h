// The element types of a launch's parameters and their values, stored as CUDA stores them:
// little-endian, two's complement, LP64.
//
//   auto type = elementTypeNamed("uint8");           // ElementType::Uint8
//   auto bits = encode(*type, {.negative = false, .magnitude = 200});   // 0xc8
//   elementText(ElementType::Int8, 0xc8);            // "-56"
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qgpu::launch {

enum class ElementType : std::uint8_t {
  Int,
  Unsigned,
  Int8,
  Uint8,
  Int16,
  Uint16,
  Int64,
  Uint64,
  Float,
};

// Size in bytes; the alignment is the same.
std::size_t sizeOf(ElementType type);
bool isSigned(ElementType type);
// The name used in case files and on the command line: "int", "unsigned", "int8", ...
std::string_view name(ElementType type);
// Also takes the synonyms "uint", "unsigned int", "int32" and "uint32".
std::optional<ElementType> elementTypeNamed(std::string_view text);
// "int, unsigned, int8, ...", for messages.
const std::string& elementTypeNames();
// "-128 to 127", for messages; for float "the range of a 32-bit float".
std::string rangeText(ElementType type);

// An integer of any element type: between -(2^64 - 1) and 2^64 - 1.
struct Integer {
  bool negative = false;
  std::uint64_t magnitude = 0;

  std::string text() const;
};
// Decimal or 0x-hexadecimal with an optional sign and nothing else. nullopt: not such a number, or
// one beyond 64 bits.
std::optional<Integer> parseInteger(std::string_view text);

// The value's bits, in the low sizeOf(type) bytes; nullopt where the value is out of range.
// A float takes an integer of any size, rounded to nearest even.
std::optional<std::uint64_t> encode(ElementType type, Integer value);
// Floats only: `value` rounded to nearest even; nullopt where that is not finite.
std::optional<std::uint64_t> encodeFloat(double value);

// Appends the low sizeOf(type) bytes of `bits`, little-endian; reads element `index` back.
void appendElement(std::vector<std::uint8_t>& bytes, ElementType type, std::uint64_t bits);
std::uint64_t elementBits(const std::vector<std::uint8_t>& bytes, ElementType type,
                          std::size_t index);
// The value as a case file would write it; a float that is not finite gives "inf", "-inf" or "nan".
std::string elementText(ElementType type, std::uint64_t bits);

}  // namespace qgpu::launch
