#include "interpreter/machine/execute.h"

#include <fmt/format.h>

#include <bit>

namespace qgpu::machine {
namespace {

using isa::GuardUse;
using isa::Operand;
using isa::Space;
using MemoryUse = isa::Memory;

constexpr LaneMask kAll = kMachine.allLanes();
constexpr std::uint32_t kFirstSlotCode = Operand::slot(0).code();
constexpr std::uint32_t kImmediateCode = Operand::immediate().code();

constexpr StageResult kIdle = {{}, kAll, {}, {}};
constexpr std::uint32_t kMaskCode = Operand::special(isa::Special::Mask).code();

// A predicate source by its guard code, before any negation.
LaneMask predicateBits(int guard_code, const Warp& warp, const BlockResult& result) {
  if (guard_code == 0) return kAll;
  if (guard_code <= kMachine.predicates) return warp.predicates[guard_code - 1];
  return result.stages[guard_code - 1 - kMachine.predicates].p;
}
LaneMask guardBits(isa::Guard guard, const Warp& warp, const BlockResult& result) {
  const LaneMask bits = predicateBits(guard.code, warp, result);
  return guard.negate ? ~bits & kAll : bits;
}

constexpr std::uint32_t bytes(Space space) {
  return 4u * static_cast<std::uint32_t>(space == Space::Shared ? kMachine.shared_words
                                                                : kMachine.global_rows);
}
static_assert(std::has_single_bit(bytes(Space::Global)) &&
              std::has_single_bit(bytes(Space::Shared)));

// Lanes collide when they take part and name the same row, whatever byte of its word they mean.
struct Collisions {
  LaneMask earlier = 0, later = 0;             // lanes that collide with an earlier or a later one
  std::array<int, kMachine.lanes> previous{};  // the last such earlier lane

  Collisions(Space space, const LaneWords& address, LaneMask part) {
    std::array<int, kMachine.lanes> row;
    for (int l = 0; l < kMachine.lanes; ++l) row[l] = memoryAddress(space, address[l]);
    for (int l = 1; l < kMachine.lanes; ++l)
      for (int m = 0; m < l; ++m) {
        if (row[l] != row[m] || (part >> l & part >> m & 1) == 0) continue;
        earlier |= LaneMask{1} << l;
        later |= LaneMask{1} << m;
        previous[l] = m;
      }
  }
};

// The operands of a slot, where they stand: registers and the like in the warp's file, a memory
// operand's word in place of b.
struct Operands {
  const LaneWords &a, &b, &c;
};

// Lanes with one address take turns in lane order; `old` becomes what each of them reads.
void takeTurns(const DecodedSlot& d, const Collisions& collisions, const Operands& x,
               const isa::WarpIn& in, LaneWords& old, LaneWords& words) {
  isa::WarpOut out;
  for (int l = 0; l < kMachine.lanes; ++l) {
    if ((collisions.earlier >> l & 1) != 0) old[l] = words[collisions.previous[l]];
    d.row->lanes(x.a, old, x.c, in, out);
    words[l] = out.r[l];
  }
}

// The memory write of a slot: which words are written, who loses, and the old words as the result.
void writeMemory(const DecodedSlot& d, int slot, const Operands& x, const isa::WarpIn& in,
                 BlockResult& result) {
  StageResult& stage = result.stages[slot];
  const LaneMask part = in.mask & stage.guard;
  const Collisions collisions(d.slot.space, stage.address, part);
  LaneWords old = stage.loaded;
  d.row->lanes(x.a, x.b, x.c, in, stage);
  result.writer = slot;
  result.words = stage.r;
  if (d.row->memory == MemoryUse::Replay) {
    result.losers = collisions.earlier;
    result.writes = part & ~collisions.earlier;
  } else {
    result.writes = part & ~collisions.later;
    if (d.row->memory == MemoryUse::Combine && collisions.earlier != 0)
      takeTurns(d, collisions, x, in, old, result.words);
  }
  stage.p = 0;
  for (int l = 0; l < kMachine.lanes; ++l)
    stage.r[l] = d.row->result && (part >> l & 1) != 0 ? old[l] : 0;
}

// A failed guard: merging instructions keep the old value, the others give 0.
void applyGuard(const DecodedSlot& d, const LaneWords& c, const Warp& warp, StageResult& stage) {
  if (d.guard_use == GuardUse::Input || d.guard_use == GuardUse::Unused) return;
  const bool keeps = d.guard_use == GuardUse::Merge && d.row->result;
  for (int l = 0; l < kMachine.lanes; ++l)
    if ((stage.guard >> l & 1) == 0) stage.r[l] = keeps ? c[l] : 0;
  if (d.computes_predicate)
    stage.p = (stage.p & stage.guard) | (warp.predicates[d.slot.pd] & ~stage.guard);
}

void noteFaults(LaneMask bad, int slot, BlockResult& result) {
  if (bad == 0) return;
  if (result.faults == 0) {
    result.fault_slot = slot;
    result.fault_lane = std::countr_zero(bad);
  }
  result.faults |= bad;
}

// The memory operand: its address, its word, and the faults.
void readMemory(const DecodedSlot& d, int slot, const Warp& warp, const Memory& memory,
                isa::WarpIn& in, BlockResult& result) {
  const isa::Slot& s = d.slot;
  const std::uint32_t base =
      s.base_parameter ? warp.file[Operand::parameter(s.aux).code()][0] : d.immediate[0];
  const LaneWords& index = warp.file[s.b.code()];
  const bool shared = s.space == Space::Shared;
  const std::uint32_t* const words = shared ? memory.shared.data() : memory.global.data();
  const std::uint32_t last_byte = bytes(s.space) - 1;
  LaneWords address, loaded, byte;
  for (int l = 0; l < kMachine.lanes; ++l) address[l] = base + (index[l] << d.shift);
  for (int l = 0; l < kMachine.lanes; ++l) byte[l] = address[l] & 3;
  for (int l = 0; l < kMachine.lanes; ++l) loaded[l] = words[(address[l] & last_byte) / 4];
  StageResult& stage = result.stages[slot];
  stage.address = address;
  stage.loaded = loaded;
  in.byte = byte;
  noteFaults(badAddresses(d, address) & in.mask & stage.guard, slot, result);
}

// What takes more than operands: predicates read, memory, a guard.
void runGuardedSlot(const DecodedSlot& d, int i, const Warp& warp, const Memory& memory,
                    isa::WarpIn& in, BlockResult& result) {
  const isa::Slot& s = d.slot;
  StageResult& stage = result.stages[i];
  stage.guard = in.guard = guardBits(s.guard, warp, result);
  if (d.row->unit == isa::Unit::Predicate)
    in.second = guardBits({static_cast<std::uint8_t>(s.aux & 7), (s.aux & 8) != 0}, warp, result);
  const bool memory_operand = s.space != Space::None;
  if (memory_operand) readMemory(d, i, warp, memory, in, result);
  const Operands x{warp.file[s.a.code()], memory_operand ? stage.loaded : warp.file[s.b.code()],
                   warp.file[s.c.code()]};
  if (d.row->writesMemory()) return writeMemory(d, i, x, in, result);
  d.row->lanes(x.a, x.b, x.c, in, stage);
  if (!d.computes_predicate) stage.p = 0;
  if (stage.guard != kAll) applyGuard(d, x.c, warp, stage);
}

// `in` serves the slots of a block one after another: the mask is there already.
void runSlot(const DecodedSlot& d, int i, const Warp& warp, const Memory& memory, isa::WarpIn& in,
             BlockResult& result) {
  StageResult& stage = result.stages[i];
  stage.guard = in.guard = kAll;
  stage.address = stage.loaded = {};
  in.compare = d.slot.compare;
  in.aux = d.slot.aux;
  if (!d.plain) return runGuardedSlot(d, i, warp, memory, in, result);
  const isa::Slot& s = d.slot;
  d.row->lanes(warp.file[s.a.code()], warp.file[s.b.code()], warp.file[s.c.code()], in, stage);
  if (!d.computes_predicate) stage.p = 0;
}

// Slot 1 divides, slots 3 and 4 take quotient and remainder.
void runDivision(const DecodedBlock& block, Warp& warp, const isa::WarpIn& in,
                 BlockResult& result) {
  const DecodedSlot& d = block.slots[0];
  warp.file[kImmediateCode] = d.immediate;
  const LaneWords &a = warp.file[d.slot.a.code()], &b = warp.file[d.slot.b.code()];
  isa::WarpOut quotient;
  d.row->lanes(a, b, a, in, quotient);
  for (int i = 0; i < kMachine.slots; ++i) {
    const isa::Row& row = *block.slots[i].row;
    result.stages[i] = kIdle;
    if (row.unit == isa::Unit::Divider && row.result)
      row.lanes(a, b, quotient.r, in, result.stages[i]);
  }
}

LaneMask conditionBits(isa::Condition c, const Warp& warp, const BlockResult& result) {
  const LaneMask bits = c.isSlot() ? result.stages[c.index()].p : warp.predicates[c.index()];
  return c.negate ? ~bits & kAll : bits;
}

void setTargets(const DecodedBlock& block, int number, const Warp& warp, BlockResult& result) {
  const LaneMask held = conditionBits(block.header.condition, warp, result);
  result.pc = select(held, block.held, block.other);
  if (result.losers != 0)
    result.pc = select(result.losers, everyLane(static_cast<std::uint8_t>(number)), result.pc);
}

// The keys of lanes whose condition holds and of the others.
struct Keys {
  std::uint8_t held, other;
};
Keys keysOf(const isa::Header& h) {
  const auto waiting = static_cast<std::uint8_t>(h.target + kWaiting);
  switch (h.kind) {
    case isa::Terminator::Jump: return {h.target, h.target};
    case isa::Terminator::Branch: return {h.target, h.other};
    case isa::Terminator::ExitIf: return {kEnded, h.target};
    case isa::Terminator::Barrier: return {waiting, waiting};
    case isa::Terminator::Exit:
    case isa::Terminator::Trap: break;
  }
  return {kEnded, kEnded};
}

}  // namespace

DecodedBlock::DecodedBlock(const isa::Block& block) : header(block.header) {
  for (int i = 0; i < kMachine.slots; ++i) {
    DecodedSlot& d = slots[i];
    d.slot = block.slots[i];
    d.row = &isa::row(d.slot.op);
    d.immediate.fill(static_cast<std::uint32_t>(std::int32_t{d.slot.imm}));
    d.shift = d.slot.scaled ? std::countr_zero(static_cast<unsigned>(d.row->width)) : 0;
    d.first_byte = d.slot.space == Space::Global ? 4 : 0;
    d.forbidden_bits = ~(bytes(d.slot.space) - 1) | static_cast<std::uint32_t>(d.row->width - 1);
    d.computes_predicate = isa::computesPredicate(d.slot);
    d.guard_use = d.row->guard;
    d.plain =
        d.slot.guard.always() && d.slot.space == Space::None && d.row->unit != isa::Unit::Predicate;
    if (d.slot.live || d.slot.plive) leaving[leaving_count++] = static_cast<std::uint8_t>(i);
    if (d.slot.op == isa::Opcode::Nop) continue;
    used = i + 1;
    ++instructions;
  }
  const Keys keys = keysOf(header);
  held = everyLane(keys.held);
  other = everyLane(keys.other);
}

const BlockResult& Pipeline::run(const DecodedBlock& block, int number, Warp& warp,
                                 const Memory& memory, LaneMask mask) {
  result_.losers = result_.faults = result_.writes = 0;
  result_.fault_slot = result_.fault_lane = result_.writer = -1;
  result_.words = {};
  in_.mask = mask;
  warp.file[kMaskCode].fill(mask);
  if (block.header.divide) {
    runDivision(block, warp, in_, result_);
  } else {
    for (int i = 0; i < block.used; ++i) {
      warp.file[kImmediateCode] = block.slots[i].immediate;
      runSlot(block.slots[i], i, warp, memory, in_, result_);
      if (i + 1 < kMachine.slots) warp.file[kFirstSlotCode + i] = result_.stages[i].r;
    }
    for (int i = block.used; i < kMachine.slots; ++i) result_.stages[i] = kIdle;
  }
  if (block.header.kind == isa::Terminator::Trap) result_.faults = mask;
  setTargets(block, number, warp, result_);
  return result_;
}

Failure describeFault(const DecodedBlock& block, int number, int warp, int ctaid,
                      const BlockResult& result) {
  const int first_thread = warp * kMachine.lanes;
  if (result.fault_slot < 0) {
    std::string threads;
    for (int l = 0; l < kMachine.lanes; ++l)
      if ((result.faults >> l & 1) != 0)
        threads += fmt::format("{}{}", threads.empty() ? "" : ", ", first_thread + l);
    return {FailureKind::Trap,
            {},
            fmt::format("the kernel executed trap: thread {} of thread block {}, block {}", threads,
                        ctaid, number),
            ""};
  }
  const std::uint32_t address = result.stages[result.fault_slot].address[result.fault_lane];
  const bool shared = block.slots[result.fault_slot].slot.space == Space::Shared;
  return {
      FailureKind::Trap,
      {},
      fmt::format("address out of range or misaligned: {} byte {}, thread {} of thread block {}, "
                  "block {}, slot {}",
                  shared ? "shared" : "global", static_cast<std::int32_t>(address),
                  first_thread + result.fault_lane, ctaid, number, result.fault_slot + 1),
      fmt::format("global memory is bytes 4 to {}, shared memory bytes 0 to {}",
                  bytes(Space::Global) - 1, bytes(Space::Shared) - 1)};
}

}  // namespace qgpu::machine
