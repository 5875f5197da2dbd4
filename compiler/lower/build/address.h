// Memory operands of PTX as the machine's.
#pragma once

#include "compiler/lower/build/context.h"

namespace qgpu::lower {

// Where a memory operand points: a space, and a place in it that may yet turn out to mean another
// one (generic addresses, see passes/spaces.cc).
struct Target {
  isa::Space space = isa::Space::Global;
  Place place;
};

Target targetOf(Context& c, const ptx::Instruction& i, const ptx::Operand& operand);

// `bytes` further on.
Place shifted(Place place, std::uint32_t bytes);

}  // namespace qgpu::lower
