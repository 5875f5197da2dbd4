// "Did you mean ...": the known name nearest to a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace qgpu::ptx {

// The candidate fewest edits away, if that is few for its length; "" otherwise.
std::string_view nearest(std::string_view text, std::span<const std::string_view> candidates);

// "did you mean `mad`?" or "".
std::string suggestOpcode(std::string_view text);
std::string suggestDirective(std::string_view text);
std::string suggestModifier(std::string_view text);

}  // namespace qgpu::ptx
