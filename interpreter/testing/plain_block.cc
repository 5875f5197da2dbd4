#include "interpreter/testing/plain_block.h"

#include <map>

namespace qgpu::isatest {
namespace {

using isa::Operand;
using isa::Slot;
using isa::Space;

int row(Space space, std::uint32_t address) {
  return static_cast<int>(space == Space::Shared ? 128 + address / 4 % 64 : address / 4 % 128);
}

bool accessible(Space space, int width, std::uint32_t address) {
  if (address % static_cast<std::uint32_t>(width) != 0) return false;
  return space == Space::Shared ? address < 256 : address >= 4 && address < 512;
}

std::uint32_t immediate(const Slot& slot) {
  return static_cast<std::uint32_t>(static_cast<int>(slot.imm));
}

bool writes(MemoryKind kind) { return kind != MemoryKind::None && kind != MemoryKind::Load; }

}  // namespace

bool PlainBlock::run() {
  for (int index = 0; index < kSlots; ++index) runSlot(index);
  return !fault_ && block().header.kind != isa::Terminator::Trap;
}

bool PlainBlock::commits(int slot, int lane) const {
  const bool needs_guard = kind(block().slots[slot].op).c_is_operand;
  const Visit& visit = visits_[lane];
  return place_.running[lane] && !visit.replays && (visit.slots[slot].guard || !needs_guard);
}

void PlainBlock::runSlot(int index) {
  const Slot& slot = block().slots[index];
  Inputs in;
  for (int lane = 0; lane < kLanes; ++lane) {
    in[lane] = operands(slot, index, lane);
    if (slot.space != Space::None) readMemory(slot, index, lane, in[lane]);
  }
  compute(slot, index, in);
  if (writes(kind(slot.op).memory))
    writeMemory(slot, index, in);
  else
    keepOld(slot, index, in);
}

// ---- Operands. ----

PlainIn PlainBlock::operands(const Slot& slot, int index, int lane) {
  PlainIn in;
  in.a = value(slot.a, slot, lane);
  in.b = value(slot.b, slot, lane);
  in.c = value(slot.c, slot, lane);
  in.guard = truth(slot.guard.code, slot.guard.negate, lane);
  in.second = truth(slot.aux % 8, slot.aux / 8 % 2 == 1, lane);
  in.compare = slot.compare;
  visits_[lane].slots[index].guard = in.guard;
  return in;
}

std::uint32_t PlainBlock::value(Operand o, const Slot& slot, int lane) const {
  switch (o.kind()) {
    case Operand::Kind::Register:
      return o.index() == 0 ? 0 : place_.threads[lane]->registers[o.index()];
    case Operand::Kind::Slot: return visits_[lane].slots[o.index()].result;
    case Operand::Kind::Immediate: return immediate(slot);
    case Operand::Kind::Special: return special(static_cast<isa::Special>(o.index()), lane);
    case Operand::Kind::Parameter: return parameter(o.index());
    case Operand::Kind::Reserved: break;
  }
  return 0;
}

std::uint32_t PlainBlock::parameter(int index) const {
  const auto& all = place_.launch.parameters;
  return static_cast<std::size_t>(index) < all.size() ? all[index] : 0;
}

std::uint32_t PlainBlock::special(isa::Special which, int lane) const {
  const int tid = place_.warp * kLanes + lane;
  std::uint32_t mask = 0;
  for (int l = kLanes - 1; l >= 0; --l) mask = mask * 2 + (place_.running[l] ? 1 : 0);
  switch (which) {
    case isa::Special::Tid: return tid;
    case isa::Special::Ctaid: return place_.ctaid;
    case isa::Special::Ntid: return place_.launch.threads;
    case isa::Special::Nctaid: return place_.launch.thread_blocks;
    case isa::Special::Gtid: return place_.ctaid * place_.launch.threads + tid;
    case isa::Special::Lane: return lane;
    case isa::Special::Warp: return place_.warp;
    case isa::Special::Mask: return mask;
  }
  return 0;
}

// A guard, a negated one, or an input of predicate logic.
bool PlainBlock::truth(int code, bool negate, int lane) const {
  bool holds = true;
  if (code >= 1 && code <= 4) holds = place_.threads[lane]->predicates[code - 1];
  if (code >= 5) holds = visits_[lane].slots[code - 5].predicate;
  return holds != negate;
}

void PlainBlock::readMemory(const Slot& slot, int index, int lane, PlainIn& in) {
  const int width = kind(slot.op).width;
  const std::uint32_t base = slot.base_parameter ? parameter(slot.aux) : immediate(slot);
  Outcome& out = visits_[lane].slots[index];
  out.address = base + in.b * static_cast<std::uint32_t>(slot.scaled ? width : 1);
  out.loaded = memory_[row(slot.space, out.address)];
  in.b = out.loaded;
  in.byte = static_cast<int>(out.address % 4);
  if (place_.running[lane] && in.guard && !accessible(slot.space, width, out.address))
    fault_ = true;
}

// ---- Results. ----

void PlainBlock::compute(const Slot& slot, int index, const Inputs& in) {
  PlainWarpIn all{.running = place_.running, .clamp = slot.aux % 4, .segment = slot.aux / 4};
  for (int lane = 0; lane < kLanes; ++lane) all.lanes[lane] = divided(slot, in[lane], lane);
  const PlainWarpOut warp = place_.meaning.compute(slot.op, all);
  const PlainKind what = kind(slot.op);
  for (int lane = 0; lane < kLanes; ++lane) {
    Visit& visit = visits_[lane];
    if (writes(what.memory)) visit.word = warp.r[lane];
    visit.slots[index].result = what.result ? warp.r[lane] : 0;
    visit.slots[index].predicate = plainPredicate(slot) && warp.p[lane];
  }
}

// Quotient and remainder look at slot 1's operands.
PlainIn PlainBlock::divided(const Slot& slot, PlainIn in, int lane) const {
  if (slot.op != isa::Opcode::Quo && slot.op != isa::Opcode::Rem) return in;
  const Slot& division = block().slots[0];
  in.a = value(division.a, division, lane);
  in.b = value(division.b, division, lane);
  in.guard = division.op == isa::Opcode::Div;
  return in;
}

// What a lane's turn makes of the word that it finds.
std::uint32_t PlainBlock::combined(isa::Opcode op, PlainIn in, int lane, std::uint32_t word) const {
  in.b = word;
  PlainWarpIn all{.running = place_.running};
  all.lanes[lane] = in;
  return place_.meaning.compute(op, all).r[lane];
}

// A failed guard.
void PlainBlock::keepOld(const Slot& slot, int index, const Inputs& in) {
  const PlainKind what = kind(slot.op);
  if (what.guard_is_input) return;
  for (int lane = 0; lane < kLanes; ++lane) {
    Outcome& out = visits_[lane].slots[index];
    if (out.guard) continue;
    out.result = what.result && !what.c_is_operand ? in[lane].c : 0;
    if (plainPredicate(slot)) out.predicate = place_.threads[lane]->predicates[slot.pd];
  }
}

void PlainBlock::writeMemory(const Slot& slot, int index, const Inputs& in) {
  const PlainKind what = kind(slot.op);
  std::map<int, int> last;             // the last thread that takes part, by row
  std::map<int, std::uint32_t> value;  // of the row, as the turns go by
  for (int lane = 0; lane < kLanes; ++lane) {
    Visit& visit = visits_[lane];
    Outcome& out = visit.slots[index];
    out.result = 0;
    if (!place_.running[lane] || !out.guard) continue;
    const int here = row(slot.space, out.address);
    const bool is_first = last.count(here) == 0;
    last[here] = lane;
    if (is_first) value[here] = out.loaded;
    if (what.result) out.result = what.memory == MemoryKind::Add ? value[here] : out.loaded;
    if (what.memory == MemoryKind::Add)
      visit.word = value[here] = combined(slot.op, in[lane], lane, value[here]);
    if (what.memory != MemoryKind::Replay) continue;
    visit.replays = !is_first;
    if (is_first) visit.writes = here;
  }
  if (what.memory == MemoryKind::Replay) return;
  for (const auto& [here, lane] : last) visits_[lane].writes = here;
}

}  // namespace qgpu::isatest
