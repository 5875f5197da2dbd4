// Which warp runs next, and where its lanes are. All of it follows from rows that are only ever
// overwritten with functions of the current block: no count is kept anywhere.
#pragma once

#include <optional>

#include "interpreter/machine/state.h"

namespace qgpu::machine {

// The lanes of a warp that exist in a thread block of `ntid` threads.
LaneMask startMask(int warp, int ntid);

// CTA: a thread block starts with no warp started, and with its specials.
void startThreadBlock(State& state, int ctaid, int ntid);

// EXEC: new keys for the lanes of the mask, and the rows that follow from them.
void moveLanes(State& state, int block, int warp, LaneMask mask,
               const std::array<std::uint8_t, kMachine.lanes>& pc);

// A block to run, for lanes of a warp.
struct Dispatch {
  int block = 0, warp = 0;
  LaneMask mask = 0;
};
// What the thread block runs after a block of `warp`; nothing when all its lanes have ended.
std::optional<Dispatch> afterBlock(const State& state, int warp);

}  // namespace qgpu::machine
