// The instruction table as a page of documentation.
#pragma once

#include <string>

namespace qgpu::ptx {

// Markdown: every form of every instruction the front end takes, and the families it refuses by
// name.
std::string manualPage();

}  // namespace qgpu::ptx
