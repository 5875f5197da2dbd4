// Arrays and words of memory. Private to this folder.
#pragma once

#include <array>
#include <cstdint>

#include "tools/api/qgpu.h"

namespace qgpu {

// What the host loads for a launch: the program, parameter words, arrays, shape.
protocol::Image imageOf(const launch::Launch& launch, const lower::Lowered& lowered);

// The launch's arrays as global memory holds them.
launch::Arrays readArrays(const Program& program,
                          const std::array<std::uint32_t, kMachine.global_rows>& global);

}  // namespace qgpu
