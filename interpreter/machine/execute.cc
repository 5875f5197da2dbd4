#include "interpreter/machine/execute.h"

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

constexpr std::uint32_t code(isa::Special s) { return Operand::special(s).code(); }

LaneWords broadcast(std::uint32_t word) {
  LaneWords words;
  words.fill(word);
  return words;
}

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

// Lanes whose address is misaligned, outside its space or in the null word.
LaneMask badAddresses(const LaneWords& address, Space space, int width) {
  const std::uint32_t first = space == Space::Global ? 4 : 0;
  LaneMask bad = 0;
  for (int l = 0; l < kMachine.lanes; ++l) {
    const std::uint32_t a = address[l];
    const bool outside = a - first >= bytes(space) - first;
    bad |= LaneMask{outside || a % static_cast<std::uint32_t>(width) != 0} << l;
  }
  return bad;
}

void load(const DecodedSlot& d, const Warp& warp, const Memory& memory, StageResult& stage) {
  const isa::Slot& s = d.slot;
  const std::uint32_t base = s.base_parameter ? warp.file[Operand::parameter(s.aux).code()][0]
                                              : static_cast<std::uint32_t>(std::int32_t{s.imm});
  const LaneWords& index = warp.file[s.b.code()];
  for (int l = 0; l < kMachine.lanes; ++l) {
    const std::uint32_t address = base + (index[l] << d.shift);
    stage.address[l] = address;
    const std::uint32_t row = address / 4;
    stage.loaded[l] = s.space == Space::Shared ? memory.shared[row % kMachine.shared_words]
                                               : memory.global[row % kMachine.global_rows];
  }
}

// The memory write of a slot: who takes part, who loses, which words are written, and the old
// words.
class MemoryWrite {
 public:
  MemoryWrite(const DecodedSlot& d, isa::WarpIn& in, LaneMask part, BlockResult& result, int slot)
      : d_(d), in_(in), stage_(result.stages[slot]), result_(result), part_(part) {
    result.writer = slot;
  }

  void run() {
    if (d_.row->memory == MemoryUse::Combine)
      combine();
    else if (d_.row->memory == MemoryUse::Replay)
      replay();
    else
      store();
  }

 private:
  bool takesPart(int l) const { return (part_ >> l & 1) != 0; }
  // Lanes collide when they name the same row, whatever byte of its word they mean.
  bool sameWord(int l, int m) const {
    return memoryAddress(d_.slot.space, stage_.address[l]) ==
           memoryAddress(d_.slot.space, stage_.address[m]);
  }
  // The lane that takes part before `l` (or after it) with the same word; -1: none.
  int earlier(int l) const {
    for (int m = l; m-- > 0;)
      if (takesPart(m) && sameWord(l, m)) return m;
    return -1;
  }
  bool isLast(int l) const {
    for (int m = l + 1; m < kMachine.lanes; ++m)
      if (takesPart(m) && sameWord(l, m)) return false;
    return true;
  }
  LaneMask lastLanes() const {
    LaneMask last = 0;
    for (int l = 0; l < kMachine.lanes; ++l)
      if (takesPart(l) && isLast(l)) last |= LaneMask{1} << l;
    return last;
  }

  void store() {
    result_.words = in_.c;
    result_.writes = lastLanes();
    stage_.r = broadcast(0);
  }

  void combine() {
    isa::WarpOut out;
    for (int l = 0; l < kMachine.lanes; ++l) {
      if (!takesPart(l)) continue;
      const int before = earlier(l);
      in_.b[l] = before >= 0 ? result_.words[before] : stage_.loaded[l];
      d_.row->run(in_, out);
      result_.words[l] = out.r[l];
    }
    finish(lastLanes());
  }

  void replay() {
    isa::WarpOut out;
    d_.row->run(in_, out);
    result_.words = out.r;
    for (int l = 0; l < kMachine.lanes; ++l)
      if (takesPart(l) && earlier(l) >= 0) result_.losers |= LaneMask{1} << l;
    finish(part_ & ~result_.losers);
  }

  void finish(LaneMask writes) {
    result_.writes = writes;
    for (int l = 0; l < kMachine.lanes; ++l) stage_.r[l] = takesPart(l) ? in_.b[l] : 0;
  }

  const DecodedSlot& d_;
  isa::WarpIn& in_;
  StageResult& stage_;
  BlockResult& result_;
  LaneMask part_;
};

// A failed guard: merging instructions keep the old value, the others give 0.
void applyGuard(const DecodedSlot& d, const LaneWords& c, const Warp& warp, StageResult& stage) {
  if (stage.guard == kAll || d.guard_use == GuardUse::Input || d.guard_use == GuardUse::Unused)
    return;
  for (int l = 0; l < kMachine.lanes; ++l) {
    if ((stage.guard >> l & 1) != 0) continue;
    stage.r[l] = d.guard_use == GuardUse::Merge && d.row->result ? c[l] : 0;
  }
  if (d.computes_predicate)
    stage.p = (stage.p & stage.guard) | (warp.predicates[d.slot.pd] & ~stage.guard);
}

void runSlot(const DecodedSlot& d, int i, const Warp& warp, const Memory& memory, LaneMask mask,
             BlockResult& result) {
  const isa::Slot& s = d.slot;
  StageResult& stage = result.stages[i];
  isa::WarpIn in;
  in.a = warp.file[s.a.code()];
  in.b = warp.file[s.b.code()];
  in.c = warp.file[s.c.code()];
  in.mask = mask;
  in.compare = s.compare;
  in.aux = s.aux;
  stage.guard = guardBits(s.guard, warp, result);
  in.guard = stage.guard;
  if (d.row->unit == isa::Unit::Predicate)
    in.second = guardBits({static_cast<std::uint8_t>(s.aux & 7), (s.aux & 8) != 0}, warp, result);
  if (s.space != Space::None) {
    load(d, warp, memory, stage);
    in.b = stage.loaded;
    for (int l = 0; l < kMachine.lanes; ++l) in.byte[l] = stage.address[l] & 3;
    const LaneMask bad = badAddresses(stage.address, s.space, d.row->width) & mask & stage.guard;
    if (bad != 0 && result.faults == 0) result.fault_slot = i;
    result.faults |= bad;
  }
  if (d.row->writesMemory()) {
    MemoryWrite(d, in, mask & stage.guard, result, i).run();
    return;
  }
  isa::WarpOut out;
  d.row->run(in, out);
  stage.r = out.r;
  stage.p = d.computes_predicate ? out.p : 0;
  applyGuard(d, in.c, warp, stage);
}

// Slot 1 divides, slots 3 and 4 take quotient and remainder.
void runDivision(const DecodedBlock& block, const Warp& warp, BlockResult& result) {
  const isa::Slot& s = block.slots[0].slot;
  isa::WarpIn in;
  isa::WarpOut out;
  in.a = warp.file[s.a.code()];
  in.b = warp.file[s.b.code()];
  block.slots[0].row->run(in, out);
  in.c = out.r;
  for (int i = 0; i < kMachine.slots; ++i) {
    StageResult& stage = result.stages[i];
    stage.guard = kAll;
    const bool takes = block.slots[i].row->unit == isa::Unit::Divider && block.slots[i].row->result;
    out.r = broadcast(0);
    if (takes) block.slots[i].row->run(in, out);
    stage.r = out.r;
  }
}

LaneMask conditionBits(isa::Condition c, const Warp& warp, const BlockResult& result) {
  const LaneMask bits = c.isSlot() ? result.stages[c.index()].p : warp.predicates[c.index()];
  return c.negate ? ~bits & kAll : bits;
}

void setTargets(const isa::Header& h, int number, const Warp& warp, BlockResult& result) {
  const bool conditional = h.kind == isa::Terminator::Branch || h.kind == isa::Terminator::ExitIf;
  const LaneMask taken = conditional ? conditionBits(h.condition, warp, result) : kAll;
  for (int l = 0; l < kMachine.lanes; ++l) {
    const bool holds = (taken >> l & 1) != 0;
    std::uint8_t key = h.target;
    switch (h.kind) {
      case isa::Terminator::Jump: break;
      case isa::Terminator::Branch: key = holds ? h.target : h.other; break;
      case isa::Terminator::ExitIf: key = holds ? kEnded : h.target; break;
      case isa::Terminator::Barrier: key = static_cast<std::uint8_t>(h.target + kWaiting); break;
      case isa::Terminator::Exit:
      case isa::Terminator::Trap: key = kEnded; break;
    }
    if ((result.losers >> l & 1) != 0) key = static_cast<std::uint8_t>(number);
    result.pc[l] = key;
  }
}

}  // namespace

DecodedBlock::DecodedBlock(const isa::Block& block) : header(block.header) {
  for (int i = 0; i < kMachine.slots; ++i) {
    DecodedSlot& d = slots[i];
    d.slot = block.slots[i];
    d.row = &isa::row(d.slot.op);
    d.shift = d.slot.scaled ? std::countr_zero(static_cast<unsigned>(d.row->width)) : 0;
    d.computes_predicate = isa::computesPredicate(d.slot);
    d.guard_use = d.row->guard;
    if (d.slot.op != isa::Opcode::Nop) used = i + 1;
  }
}

void setSpecials(OperandFile& file, int warp, int ctaid, int ntid, int nctaid) {
  const auto word = [](int x) { return static_cast<std::uint32_t>(x); };
  file[code(isa::Special::Ctaid)] = broadcast(word(ctaid));
  file[code(isa::Special::Ntid)] = broadcast(word(ntid));
  file[code(isa::Special::Nctaid)] = broadcast(word(nctaid));
  file[code(isa::Special::Warp)] = broadcast(word(warp));
  for (int l = 0; l < kMachine.lanes; ++l) {
    const int tid = warp * kMachine.lanes + l;
    file[code(isa::Special::Tid)][l] = word(tid);
    file[code(isa::Special::Gtid)][l] = word(ctaid * ntid + tid);
    file[code(isa::Special::Lane)][l] = word(l);
  }
}

void runBlock(const DecodedBlock& block, int number, Warp& warp, const Memory& memory,
              LaneMask mask, BlockResult& result) {
  result = {};
  warp.file[code(isa::Special::Mask)] = broadcast(mask);
  if (block.header.divide) {
    runDivision(block, warp, result);
  } else {
    for (int i = 0; i < block.used; ++i) {
      warp.file[kImmediateCode] =
          broadcast(static_cast<std::uint32_t>(std::int32_t{block.slots[i].slot.imm}));
      runSlot(block.slots[i], i, warp, memory, mask, result);
      if (i + 1 < kMachine.slots) warp.file[kFirstSlotCode + i] = result.stages[i].r;
    }
    for (int i = block.used; i < kMachine.slots; ++i) result.stages[i].guard = kAll;
  }
  if (block.header.kind == isa::Terminator::Trap) result.faults = mask;
  setTargets(block.header, number, warp, result);
}

LaneMask committing(const DecodedSlot& slot, const StageResult& stage, LaneMask mask,
                    LaneMask losers) {
  const LaneMask guard = slot.guard_use == GuardUse::Commit ? stage.guard : kAll;
  return mask & guard & ~losers;
}

int memoryAddress(Space space, std::uint32_t byte_address) {
  const auto row = static_cast<int>(byte_address / 4);
  return space == Space::Shared ? protocol::kSharedBase + row % kMachine.shared_words
                                : row % kMachine.global_rows;
}

}  // namespace qgpu::machine
