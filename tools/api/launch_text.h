// Launches in a line, for people.
#pragma once

#include <string>

#include "tools/api/qgpu.h"

namespace qgpu {

// "EXEC 1, MEM 1, HALT 1": what the engine wrote.
std::string countsText(const TokenCounts& counts);
// "dot<<<1, 3>>>", "blur<<<(4, 2), 16>>>".
std::string launchText(const Program& program);
// "1 block", "3 tokens".
std::string counted(std::int64_t n, std::string_view what);

}  // namespace qgpu
