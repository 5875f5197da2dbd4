// The machine of docs/machine.md as a net: what 45 layers do with one token.
//
//   MachineNet machine = buildMachine();
//   for (Wire w : embed(machine.inputs, token)) evaluator.set(w, 0, 1);
//   evaluator.pass();
//   evaluator.get(machine.code, 0) == outputCode(next token)
#pragma once

#include "compiler/circuit/machine/front.h"
#include "compiler/circuit/machine/inputs.h"
#include "compiler/circuit/machine/output.h"
#include "compiler/circuit/machine/results.h"
#include "compiler/circuit/net.h"

namespace qgpu::circuit::machine {

inline constexpr int kLayers = 45;

struct MachineNet {
  Net net;
  Inputs inputs;
  Results results;
  Bus code;  // of the next token: see output.h

  MachineNet() : inputs(net) {}
};

MachineNet buildMachine();

}  // namespace qgpu::circuit::machine
