// The memories of one layer as heads of its Gated DeltaNet; the code is described in emit.h.
#pragma once

#include <vector>

#include "compiler/circuit/allocate.h"
#include "compiler/circuit/net.h"
#include "compiler/circuit/row_form.h"
#include "compiler/circuit/target.h"

namespace qgpu::circuit {

// Memory i becomes head i. Fills every linear_attn tensor.
Expected<void> emitMemories(const RowWriter& writer, const Net& net, const Allocation& allocation,
                            const Substrate& substrate, const std::vector<const Memory*>& memories,
                            LayerWeights& weights);

}  // namespace qgpu::circuit
