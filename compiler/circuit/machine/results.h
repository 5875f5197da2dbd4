// What the four stages hand to control and output.
#pragma once

#include <array>

#include "compiler/circuit/machine/front.h"

namespace qgpu::circuit::machine {

// Of one slot.
struct StageWires {
  LaneBus result;      // 32 bits each
  LaneWire predicate;  // with the old value where a guard failed
  LaneWire old;        // predicate pd as it was before the block
  LaneWire commits;    // in the mask, and its guard holds or the instruction merges
  Wire live, plive;
  Bus rd, pd;  // 4 and 2 bits
};

// Of the one slot that writes memory, whichever it is.
struct WriteWires {
  LaneBus word;     // the new word
  LaneBus address;  // 8 bits, as in a MEM token
  LaneWire writes;  // the lane's word is written
  LaneWire loses;   // the lane lost a replay; the first lane never does and has no wire
  Wire faults;      // how many lanes and slots are at fault

  Gate wins(int lane) const { return loses[lane] ? Gate(!loses[lane]) : Gate(); }
};

struct Results {
  std::array<StageWires, kMachine.slots> stages;
  WriteWires write;
};

}  // namespace qgpu::circuit::machine
