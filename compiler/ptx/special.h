// The predefined registers: %tid, %laneid, %clock64 ...
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compiler/ptx/instruction.h"

namespace qgpu::ptx {

// By the name without a component: "%tid", "%envreg7". Nothing for other names.
std::optional<SpecialRegister> findSpecial(std::string_view name);
// "%tid.x"
std::string spelling(const SpecialRegister& special);
bool isVector(Special special);
// The width of a component in bits; 1 for the predicate %is_explicit_cluster. %tid, %ntid, %ctaid,
// %nctaid and %gridid had 16 bits in PTX 1, %gridid 32 until PTX 3, and can still be read so.
int bitWidth(Special special);
bool readableAs(Special special, int width);

}  // namespace qgpu::ptx
