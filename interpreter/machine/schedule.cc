#include "interpreter/machine/schedule.h"

namespace qgpu::machine {
namespace {

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

void startThreadBlock(State& state, int ctaid, int ntid) {
  state.ctaid = ctaid;
  state.ntid = ntid;
  for (int w = 0; w < kMachine.warps; ++w) {
    state.warps[w].status = {};
    setSpecials(state.warps[w].file, w, state);
  }
}

std::optional<Dispatch> nextWarp(const State& state, int warp) {
  if (const LaneMask fresh = freshLanes(state, warp + 1); fresh != 0)
    return Dispatch{0, warp + 1, fresh};
  for (int i = 1; i <= kMachine.warps; ++i) {
    const int next = (warp + i) % kMachine.warps;
    const Warp& w = state.warps[next];
    if (w.status.alive) return Dispatch{w.resume.block, next, w.resume.mask};
  }
  return std::nullopt;
}

}  // namespace qgpu::machine
