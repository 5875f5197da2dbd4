// Three habits of Python's that the chat template's text depends on.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace qgpu::model {

// str.strip(): without white space (of any script) at both ends.
std::string_view pythonStrip(std::string_view text);

// str(value) of a scalar: True, False, None, repr of a number, a string as it is.
std::string pythonStr(const nlohmann::ordered_json& value);

// repr of a float: the shortest digits that read back, in scientific form outside 1e-4 to 1e16.
std::string pythonFloat(double value);

}  // namespace qgpu::model
