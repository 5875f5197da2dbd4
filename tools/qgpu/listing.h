// A program as a listing: each instruction beside the line of the source it comes from.
#pragma once

#include <string>
#include <vector>

#include "tools/api/qgpu.h"
#include "tools/qgpu/terminal.h"

namespace qgpu::cli {

struct Listing {
  std::string text;
  std::vector<Failure> unread;  // source files whose lines are therefore left out
};

Listing listing(const Program& program, const Terminal& terminal);

// {"status": "ok", "blocks": [{"slots": [{"text", "location"}], "terminator": {...}}], ...}
Json listingJson(const Program& program);

}  // namespace qgpu::cli
