#include "model/text/python_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "model/text/chat.h"

namespace qgpu::model {
namespace {

// Python's white space outside ASCII, in UTF-8: Unicode's, plus U+001C to U+001F below.
constexpr std::array<std::string_view, 19> kWideSpaces = {
    "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81",
    "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86",
    "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8",
    "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"};

bool isNarrowSpace(char c) { return (c >= 9 && c <= 13) || (c >= 28 && c <= 32); }

std::size_t spaceAtFront(std::string_view text) {
  if (isNarrowSpace(text.front())) return 1;
  const auto* found = std::find_if(kWideSpaces.begin(), kWideSpaces.end(),
                                   [&](std::string_view s) { return text.starts_with(s); });
  return found == kWideSpaces.end() ? 0 : found->size();
}

std::size_t spaceAtBack(std::string_view text) {
  if (isNarrowSpace(text.back())) return 1;
  const auto* found = std::find_if(kWideSpaces.begin(), kWideSpaces.end(),
                                   [&](std::string_view s) { return text.ends_with(s); });
  return found == kWideSpaces.end() ? 0 : found->size();
}

}  // namespace

std::string_view pythonStrip(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = spaceAtFront(text);
    if (length == 0) break;
    text.remove_prefix(length);
  }
  while (!text.empty()) {
    const std::size_t length = spaceAtBack(text);
    if (length == 0) break;
    text.remove_suffix(length);
  }
  return text;
}

std::string pythonFloat(double value) {
  std::array<char, 64> buffer{};
  const double magnitude = std::abs(value);
  const bool fixed = value == 0.0 || (magnitude >= 1e-4 && magnitude < 1e16);
  const auto format = fixed ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr;
  std::string text(buffer.data(), end);
  if (fixed && text.find('.') == text.npos) text += ".0";
  return text;
}

std::string pythonStr(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_null()) return "None";
  if (value.is_number_float()) return pythonFloat(value.get<double>());
  return value.dump();
}

std::string pythonJson(const nlohmann::ordered_json& value) {
  using nlohmann::ordered_json;
  const auto scalar = [](const ordered_json& v) {
    if (v.is_number_float()) return pythonFloat(v.get<double>());
    return v.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  };
  if (!value.is_structured()) return scalar(value);
  std::string text;
  for (const auto& [key, element] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += scalar(ordered_json(key)) + ": ";
    text += pythonJson(element);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

}  // namespace qgpu::model
