// The machine as a circuit: the net of machine.h compiled into weights, with its vocabulary.
//
//   Expected<model::Circuit> circuit = buildCircuit();
//   circuit->layers.size();                                  // 45
//   circuit->memory("stage1.load.memory.global0");           // a net's memory, by its name there
//
// The embedding of a token sets the input wires of inputs.h; lm_head spells the codes of output.h.
#pragma once

#include "compiler/circuit/machine/machine.h"
#include "compiler/circuit/target.h"
#include "interpreter/base/failure.h"

namespace qgpu::circuit::machine {

// Deterministic. Refused, with the budget that is exceeded: a net that does not fit the substrate.
Expected<model::Circuit> buildCircuit(const Substrate& substrate = {});

}  // namespace qgpu::circuit::machine
