#include "compiler/launch/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qgpu::launch {
namespace {

constexpr std::string_view kForms =
    "write NAME=3 (scalar), NAME=1,2,3 (array), NAME=[8] (eight zeros), NAME=\"text\" (its bytes) "
    "or NAME={1,2} (struct)";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The pieces between commas; one empty piece for an empty text.
std::vector<std::string_view> splitAtCommas(std::string_view text) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t comma = text.find(',');
    pieces.push_back(trimmed(text.substr(0, comma)));
    if (comma == text.npos) return pieces;
    text.remove_prefix(comma + 1);
  }
}

std::optional<double> parseDouble(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// The part before '=': a name and perhaps a type.
struct Head {
  std::string name;
  std::optional<ElementType> type;
};

Expected<Head> parseHead(std::string_view text) {
  const std::size_t colon = text.find(':');
  Head head{.name = std::string(trimmed(text.substr(0, colon))), .type = std::nullopt};
  if (head.name.empty()) return refuse("an argument has no name", std::string(kForms));
  if (colon == text.npos) return head;
  const std::string_view type = trimmed(text.substr(colon + 1));
  head.type = elementTypeNamed(type);
  if (!head.type)
    return refuse(fmt::format("argument '{}': there is no element type '{}'", head.name, type),
                  fmt::format("use one of {}", elementTypeNames()));
  return head;
}

tl::unexpected<Failure> notANumber(const Head& head, std::string_view text) {
  return refuse(fmt::format("argument '{}': '{}' is not a number", head.name, text),
                std::string(kForms));
}

tl::unexpected<Failure> tooLong(const Head& head, std::size_t elements) {
  return refuse(fmt::format("argument '{}' has {} elements", head.name, elements),
                fmt::format("use at most {}", kMaxArrayLength));
}

// int, or unsigned where only that holds every value.
ElementType inferType(const std::vector<std::string_view>& numbers) {
  bool fits_int = true;
  bool fits_unsigned = true;
  for (const std::string_view number : numbers) {
    const auto value = parseInteger(number);
    fits_int &= value && encode(ElementType::Int, *value);
    fits_unsigned &= value && encode(ElementType::Unsigned, *value);
  }
  return !fits_int && fits_unsigned ? ElementType::Unsigned : ElementType::Int;
}

Expected<std::uint64_t> parseElement(const Head& head, ElementType type, std::string_view text) {
  const auto integer = parseInteger(text);
  const auto real = parseDouble(text);
  if (!integer && !real) return notANumber(head, text);
  std::optional<std::uint64_t> bits;
  if (integer)
    bits = encode(type, *integer);
  else if (type == ElementType::Float)
    bits = encodeFloat(*real);
  if (bits) return *bits;
  return refuse(fmt::format("argument '{}': {} does not hold {}", head.name, name(type), text),
                head.type ? fmt::format("use {}", rangeText(type))
                          : fmt::format("use {}, or a wider type as in {}:int64=...",
                                        rangeText(type), head.name));
}

Expected<Parameter> parseElements(const Head& head, ParameterKind kind,
                                  const std::vector<std::string_view>& numbers) {
  Parameter parameter;
  parameter.name = head.name;
  parameter.kind = kind;
  parameter.type = head.type.value_or(inferType(numbers));
  parameter.length = kind == ParameterKind::Array ? numbers.size() : 1;
  for (const std::string_view number : numbers) {
    const auto bits = parseElement(head, parameter.type, number);
    if (!bits) return fail(bits.error());
    appendElement(parameter.bytes, parameter.type, *bits);
  }
  return parameter;
}

// "[N]" or "[N:V]", without the brackets.
Expected<Parameter> parseFilled(const Head& head, std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto length = parseInteger(trimmed(text.substr(0, colon)));
  if (!length || length->negative || length->magnitude > kMaxArrayLength)
    return refuse(fmt::format("argument '{}': '[{}]' is not an array's length", head.name, text),
                  fmt::format("use 0 to {}", kMaxArrayLength));
  const std::string_view value = colon == text.npos ? "0" : trimmed(text.substr(colon + 1));
  const std::vector<std::string_view> one = {value};
  const ElementType type = head.type.value_or(inferType(one));
  const auto bits = parseElement(head, type, value);
  if (!bits) return fail(bits.error());
  Parameter parameter;
  parameter.name = head.name;
  parameter.kind = ParameterKind::Array;
  parameter.type = type;
  parameter.length = length->magnitude;
  for (std::size_t i = 0; i < parameter.length; ++i) appendElement(parameter.bytes, type, *bits);
  return parameter;
}

// The byte behind a backslash.
std::optional<std::uint8_t> escaped(char letter) {
  constexpr std::string_view kLetters = "0nrt\\\"", kMeant{"\0\n\r\t\\\"", 6};
  const std::size_t at = kLetters.find(letter);
  if (at == kLetters.npos) return std::nullopt;
  return static_cast<std::uint8_t>(kMeant[at]);
}

// The bytes of a text, without its quotes.
Expected<std::vector<std::uint8_t>> bytesOf(const Head& head, std::string_view text) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::optional<std::uint8_t> byte;
    if (text[i] == '\\')
      byte = ++i < text.size() ? escaped(text[i]) : std::nullopt;
    else if (text[i] != '"')
      byte = static_cast<std::uint8_t>(text[i]);
    if (!byte)
      return refuse(fmt::format("argument '{}': a text with a lone quote or backslash", head.name),
                    R"(write \" and \\; \0 \n \r \t are known)");
    bytes.push_back(*byte);
  }
  return bytes;
}

// A text, without its quotes: an array of its bytes, without a 0 at the end.
Expected<Parameter> parseText(const Head& head, std::string_view text) {
  const auto bytes = bytesOf(head, text);
  if (!bytes) return fail(bytes.error());
  if (bytes->size() > kMaxArrayLength) return tooLong(head, bytes->size());
  Parameter parameter;
  parameter.name = head.name;
  parameter.kind = ParameterKind::Array;
  parameter.type = head.type.value_or(ElementType::Uint8);
  parameter.length = bytes->size();
  for (const std::uint8_t byte : *bytes) {
    const bool negative = parameter.type == ElementType::Int8 && byte > 127;
    const Integer value{negative, negative ? 256u - byte : byte};
    appendElement(parameter.bytes, parameter.type, encode(parameter.type, value).value());
  }
  return parameter;
}

// "{V,V,...}", without the braces: fields of one type, named f0, f1, ...
Expected<Parameter> parseStruct(const Head& head, std::string_view text) {
  const auto numbers = splitAtCommas(text);
  if (numbers.size() > kMaxFields)
    return refuse(fmt::format("argument '{}' has {} fields", head.name, numbers.size()),
                  fmt::format("use at most {}", kMaxFields));
  auto parameter = parseElements(head, ParameterKind::Struct, numbers);
  if (!parameter) return parameter;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    parameter->fields.push_back({fmt::format("f{}", i), parameter->type, 1});
  parameter->type = ElementType::Int;
  return parameter;
}

}  // namespace

Expected<Parameter> parseArgument(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos)
    return refuse(fmt::format("argument '{}' has no '='", text), std::string(kForms));
  const auto head = parseHead(text.substr(0, equals));
  if (!head) return fail(head.error());
  const std::string_view values = trimmed(text.substr(equals + 1));
  const auto enclosed = [values](char open, char close) {
    return values.starts_with(open) && values.ends_with(close);
  };
  if (enclosed('[', ']')) return parseFilled(*head, values.substr(1, values.size() - 2));
  if (enclosed('{', '}')) return parseStruct(*head, values.substr(1, values.size() - 2));
  if (values.size() > 1 && enclosed('"', '"'))
    return parseText(*head, values.substr(1, values.size() - 2));
  auto numbers = splitAtCommas(values);
  const bool is_array = numbers.size() > 1;
  if (numbers.size() == 2 && numbers.back().empty()) numbers.pop_back();  // "7,"
  if (numbers.size() > kMaxArrayLength) return tooLong(*head, numbers.size());
  return parseElements(*head, is_array ? ParameterKind::Array : ParameterKind::Scalar, numbers);
}

Expected<Dim3> parseDims(std::string_view text) {
  const auto pieces = splitAtCommas(text);
  Dim3 dims;
  const std::array<std::uint32_t*, 3> axes = {&dims.x, &dims.y, &dims.z};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto size = parseInteger(pieces[i]);
    if (i >= axes.size() || !size || size->negative || size->magnitude < 1 ||
        size->magnitude > 0x7fffffff)
      return refuse(fmt::format("'{}' is not a launch size", text),
                    "write X, X,Y or X,Y,Z with sizes of at least 1");
    *axes[i] = static_cast<std::uint32_t>(size->magnitude);
  }
  return dims;
}

}  // namespace qgpu::launch
