// Which warp runs next, and where its lanes are. All of it follows from rows that are only ever
// overwritten with functions of the current block: no count is kept anywhere.
//
// What runs once for each block stands here, for the compiler to see.
#pragma once

#include <algorithm>
#include <optional>

#include "interpreter/machine/state.h"

namespace qgpu::machine {

// The lanes of a warp that exist in a thread block of `ntid` threads.
constexpr LaneMask startMask(int warp, int ntid) {
  const int lanes = std::clamp(ntid - warp * kMachine.lanes, 0, kMachine.lanes);
  return (LaneMask{1} << lanes) - 1;
}

// CTA: a thread block starts with no warp started, and with its specials.
void startThreadBlock(State& state, int ctaid, int ntid);

// The rows that follow from the keys: the lowest one and the lanes that have it.
inline void setResume(Warp& warp, std::uint8_t lowest, LaneMask there) {
  warp.status = {lowest != kEnded, lowest < kWaiting, true};
  warp.resume = {static_cast<std::uint8_t>(lowest % kWaiting), static_cast<std::uint8_t>(there)};
}

// EXEC: new keys for the lanes of the mask, and the rows that follow from them.
inline void moveLanes(Warp& w, int block, LaneMask mask, LaneKeys pc) {
  // At its start a warp has no lanes but those of the mask.
  w.pc = select(mask, pc, block == 0 ? everyLane(kEnded) : w.pc);
  const std::uint8_t lowest = *std::min_element(w.pc.begin(), w.pc.end());
  LaneMask there = 0;
  for (int l = 0; l < kMachine.lanes; ++l) there |= LaneMask{w.pc[l] == lowest} << l;
  setResume(w, lowest, there);
}

// A block to run, for lanes of a warp.
struct Dispatch {
  int block = 0, warp = 0;
  LaneMask mask = 0;
};

// After a block of a warp without running lanes: another warp, or this one at a barrier; nothing
// when all lanes of the thread block have ended.
std::optional<Dispatch> nextWarp(const State& state, int warp);

// What the thread block runs after a block of `warp`.
inline std::optional<Dispatch> afterBlock(const State& state, int warp) {
  const Warp& w = state.warps[warp];
  if (w.status.running) return Dispatch{w.resume.block, warp, w.resume.mask};
  return nextWarp(state, warp);
}

}  // namespace qgpu::machine
