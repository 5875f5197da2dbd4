// Where lanes go and which warp runs next: docs/machine.md, "Where lanes go" and "Which token comes
// next".
//
// Nothing here is updated from its own old value: lane PCs are overwritten with functions of the
// current block; status and resume follow from them in the same pass.
#pragma once

#include "compiler/circuit/machine/program.h"
#include "compiler/circuit/machine/results.h"

namespace qgpu::circuit::machine {

// What follows when the last block has written all it owes. Exactly one of resume, fresh, cta, halt
// holds.
struct Schedule {
  Wire resume, fresh, cta, halt;
  Bus warp;              // 3: that resumes
  Bus block, mask;       // 7, 4: where it resumes
  Bus fresh_warp;        // 3: the warp after the current one
  LaneWire fresh_lanes;  // and the lanes it starts with
  Bus next_cta;          // 8: ctaid + 1
};

// `first`: the layer whose memories read the header. The schedule is ready eleven layers later.
Schedule buildControl(Net& net, const Inputs& in, const Front& front, const Results& results,
                      int first);

}  // namespace qgpu::circuit::machine
