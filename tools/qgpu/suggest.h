// "Did you mean ...?": the known word nearest to what was typed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace qgpu::cli {

// The nearest candidate in edit distance (insert, delete, replace, swap neighbours), if it is near:
// at most a third of the word is wrong. Empty otherwise.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace qgpu::cli
