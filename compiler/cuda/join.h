// A list as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace qgpu::cuda {

inline std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) text += separator;
    text += part;
  }
  return text;
}

}  // namespace qgpu::cuda
