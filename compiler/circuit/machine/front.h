// Layer 0: the latches, the words that tokens carry, and what follows from the launch's shape.
#pragma once

#include <array>

#include "compiler/circuit/machine/inputs.h"

namespace qgpu::circuit::machine {

using LaneBus = std::array<Bus, kMachine.lanes>;    // a word or a number for each lane
using LaneWire = std::array<Wire, kMachine.lanes>;  // a flag for each lane

struct Front {
  Bus warp, mask;           // of the last EXEC
  Bus ctaid, ntid, first;   // of the last CTA
  Bus nctaid;               // of the last GRID
  Bus word;                 // 32: the word so far, of VAL, MEM, CODE, PARAM and their EXT tokens
  LaneWire write_register;  // a VAL's word goes to this lane's register
  LaneWire first_lane;      // one-hot: the lowest lane of the mask
  LaneBus gtid;             // first + tid
  Wire at_entry;            // the token runs block 0
};

Front buildFront(Net& net, const Inputs& in);

}  // namespace qgpu::circuit::machine
