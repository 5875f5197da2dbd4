#include "interpreter/machine/schedule.h"

#include <algorithm>

namespace qgpu::machine {
namespace {

using protocol::Token;

void updateStatus(Warp& warp) {
  const std::uint8_t lowest = *std::min_element(warp.pc.begin(), warp.pc.end());
  warp.status = {lowest != kEnded, lowest < kWaiting, true};
  warp.resume = {static_cast<std::uint8_t>(lowest % kWaiting), 0};
  for (int l = 0; l < kMachine.lanes; ++l)
    if (warp.pc[l] == lowest) warp.resume.mask |= static_cast<std::uint8_t>(1u << l);
}

Token resume(const State& state, int warp) {
  const Resume& r = state.warps[warp].resume;
  return Token::exec(r.block, warp, r.mask);
}

// The lanes with which `warp` starts; none where it has started or the thread block has no such
// warp.
LaneMask freshLanes(const State& state, int warp) {
  if (warp >= kMachine.warps || state.warps[warp].status.started) return 0;
  return startMask(warp, state.ntid);
}

}  // namespace

LaneMask startMask(int warp, int ntid) {
  const int lanes = std::clamp(ntid - warp * kMachine.lanes, 0, kMachine.lanes);
  return (LaneMask{1} << lanes) - 1;
}

void startThreadBlock(State& state, int ctaid, int ntid) {
  state.ctaid = ctaid;
  state.ntid = ntid;
  for (Warp& warp : state.warps) warp.status = {};
}

void moveLanes(State& state, int block, int warp, LaneMask mask,
               const std::array<std::uint8_t, kMachine.lanes>& pc) {
  Warp& w = state.warps[warp];
  for (int l = 0; l < kMachine.lanes; ++l) {
    if ((mask >> l & 1) != 0)
      w.pc[l] = pc[l];
    else if (block == 0)
      w.pc[l] = kEnded;  // at its start a warp has no other lanes
  }
  updateStatus(w);
}

Token afterBlock(const State& state) {
  const int warp = state.exec.field[1];
  if (state.warps[warp].status.running) return resume(state, warp);
  if (const LaneMask fresh = freshLanes(state, warp + 1); fresh != 0)
    return Token::exec(0, warp + 1, fresh);
  for (int i = 1; i <= kMachine.warps; ++i) {
    const int next = (warp + i) % kMachine.warps;
    if (state.warps[next].status.alive) return resume(state, next);
  }
  if (state.ctaid + 1 < state.nctaid) return Token::cta(state.ctaid + 1, state.ntid);
  return Token::halt();
}

}  // namespace qgpu::machine
