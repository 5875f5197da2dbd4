#include "interpreter/machine/schedule.h"

#include <algorithm>

namespace qgpu::machine {
namespace {

void updateStatus(Warp& warp) {
  const std::uint8_t lowest = *std::min_element(warp.pc.begin(), warp.pc.end());
  warp.status = {lowest != kEnded, lowest < kWaiting, true};
  warp.resume = {static_cast<std::uint8_t>(lowest % kWaiting), 0};
  for (int l = 0; l < kMachine.lanes; ++l)
    if (warp.pc[l] == lowest) warp.resume.mask |= static_cast<std::uint8_t>(1u << l);
}

Dispatch resume(const State& state, int warp) {
  const Resume& r = state.warps[warp].resume;
  return {r.block, warp, r.mask};
}

// The lanes with which `warp` starts; none where it has started or the thread block has no such
// warp.
LaneMask freshLanes(const State& state, int warp) {
  if (warp >= kMachine.warps || state.warps[warp].status.started) return 0;
  return startMask(warp, state.ntid);
}

constexpr std::uint32_t word(int x) { return static_cast<std::uint32_t>(x); }

void setSpecials(OperandFile& file, int warp, const State& state) {
  const auto row = [&](isa::Special s) -> LaneWords& {
    return file[isa::Operand::special(s).code()];
  };
  row(isa::Special::Ctaid).fill(word(state.ctaid));
  row(isa::Special::Ntid).fill(word(state.ntid));
  row(isa::Special::Nctaid).fill(word(state.nctaid));
  row(isa::Special::Warp).fill(word(warp));
  for (int l = 0; l < kMachine.lanes; ++l) {
    const int tid = warp * kMachine.lanes + l;
    row(isa::Special::Tid)[l] = word(tid);
    row(isa::Special::Gtid)[l] = word(state.ctaid * state.ntid + tid);
    row(isa::Special::Lane)[l] = word(l);
  }
}

}  // namespace

LaneMask startMask(int warp, int ntid) {
  const int lanes = std::clamp(ntid - warp * kMachine.lanes, 0, kMachine.lanes);
  return (LaneMask{1} << lanes) - 1;
}

void startThreadBlock(State& state, int ctaid, int ntid) {
  state.ctaid = ctaid;
  state.ntid = ntid;
  for (int w = 0; w < kMachine.warps; ++w) {
    state.warps[w].status = {};
    setSpecials(state.warps[w].file, w, state);
  }
}

void moveLanes(State& state, int block, int warp, LaneMask mask,
               const std::array<std::uint8_t, kMachine.lanes>& pc) {
  Warp& w = state.warps[warp];
  if (mask == kMachine.allLanes()) {
    w.pc = pc;
  } else {
    for (int l = 0; l < kMachine.lanes; ++l) {
      if ((mask >> l & 1) != 0)
        w.pc[l] = pc[l];
      else if (block == 0)
        w.pc[l] = kEnded;  // at its start a warp has no other lanes
    }
  }
  updateStatus(w);
}

std::optional<Dispatch> afterBlock(const State& state, int warp) {
  if (state.warps[warp].status.running) return resume(state, warp);
  if (const LaneMask fresh = freshLanes(state, warp + 1); fresh != 0)
    return Dispatch{0, warp + 1, fresh};
  for (int i = 1; i <= kMachine.warps; ++i) {
    const int next = (warp + i) % kMachine.warps;
    if (state.warps[next].status.alive) return resume(state, next);
  }
  return std::nullopt;
}

}  // namespace qgpu::machine
