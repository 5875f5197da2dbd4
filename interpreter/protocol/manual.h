// The token protocol as a page, generated from the field table: docs/tokens.md.
#pragma once

#include <string>

namespace qgpu::protocol {

// Markdown.
std::string tokenManual();

}  // namespace qgpu::protocol
