// Texts with a separator between them.
#pragma once

#include <string>
#include <string_view>

namespace qgpu {

template <typename Texts>
std::string joined(const Texts& texts, std::string_view separator = ", ") {
  std::string result;
  bool first = true;
  for (const auto& text : texts) {
    if (!first) result += separator;
    result += text;
    first = false;
  }
  return result;
}

}  // namespace qgpu
