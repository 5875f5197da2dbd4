// What a compiled net takes, as text.
#pragma once

#include <string>

#include "compiler/circuit/emit.h"

namespace qgpu::circuit {

// One line for each layer, and the sums: hidden units and those of them that clear dims, wires,
// heads, nonzero weights of the two blocks; each with what there is.
std::string budgetTable(const CompiledNet& compiled);

// Hidden units and their nonzero weights for each scope of the net, up to `depth` names deep, the
// largest first.
std::string scopeTable(const Net& net, const CompiledNet& compiled, int depth = 1);

}  // namespace qgpu::circuit
