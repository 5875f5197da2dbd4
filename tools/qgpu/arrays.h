// Arrays for people and for programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/launch/element_type.h"
#include "tools/qgpu/terminal.h"

namespace qgpu::cli {

// "c = [1, 2, 3]" where that fits the terminal, else aligned rows with the index of each row's
// first element. Ends with a newline.
std::string formatArray(const std::string& name, const std::vector<std::uint8_t>& bytes,
                        launch::ElementType type, const Terminal& terminal);

// Numbers; 64-bit integers keep all their bits, a float that is not finite is null.
Json arrayJson(const std::vector<std::uint8_t>& bytes, launch::ElementType type);

}  // namespace qgpu::cli
