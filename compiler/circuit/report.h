// Which parts of a net a compiled net's units go to, as text.
#pragma once

#include <string>

#include "compiler/circuit/emit.h"

namespace qgpu::circuit {

// Hidden units and their nonzero weights for each scope of the net, up to `depth` names deep, the
// largest first.
std::string scopeTable(const Net& net, const CompiledNet& compiled, int depth = 1);

}  // namespace qgpu::circuit
