#include "interpreter/machine/fast.h"

#include <fmt/format.h>

#include <bit>
#include <utility>
#include <vector>

#include "interpreter/isa/rules.h"
#include "interpreter/machine/fast_block.h"
#include "interpreter/machine/schedule.h"

namespace qgpu::machine {
namespace {

using isa::GuardUse;
using isa::Operand;
using MemoryUse = isa::Memory;

constexpr LaneMask kAll = kMachine.allLanes();
constexpr std::uint32_t kFirstSlotCode = Operand::slot(0).code();
constexpr std::uint32_t kImmediateCode = Operand::immediate().code();
constexpr std::uint32_t kMaskCode = Operand::special(isa::Special::Mask).code();

// Four words stay in a vector from their loads to their stores. A vector that is loaded soon after
// its words were stored one by one waits for all of them, longer than most instructions take.
using Vector [[gnu::vector_size(sizeof(LaneWords))]] = std::uint32_t;
Vector vectorOf(const LaneWords& words) { return std::bit_cast<Vector>(words); }
LaneWords wordsOf(Vector vector) { return std::bit_cast<LaneWords>(vector); }

bool isZero(Vector vector) {
  const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(vector);
  return (halves[0] | halves[1]) == 0;
}

// All ones in the lanes of each mask.
constexpr auto kLaneBits = [] {
  std::array<LaneWords, kAll + 1> bits{};
  for (LaneMask mask = 0; mask <= kAll; ++mask)
    for (int l = 0; l < kMachine.lanes; ++l) bits[mask][l] = (mask >> l & 1) != 0 ? ~0u : 0;
  return bits;
}();

// `chosen` in the lanes of the mask, `other` in the rest.
LaneWords choose(LaneMask mask, const LaneWords& chosen, const LaneWords& other) {
  const Vector bits = vectorOf(kLaneBits[mask]);
  return wordsOf((vectorOf(chosen) & bits) | (vectorOf(other) & ~bits));
}

// Lanes of `part` that name the row of an earlier lane of it.
LaneMask repeats(const LaneWords& row, LaneMask part) {
  LaneMask found = 0;
  for (int l = 1; l < kMachine.lanes; ++l)
    for (int m = 0; m < l; ++m) found |= (LaneMask{row[l] == row[m]} & part >> m) << l;
  return found & part;
}

// Blocks for warps, run and written at once: what Pipeline computes and the tokens of a block
// write. What the stages did is not kept, and nothing is cleared between blocks, since the block
// rules let nobody read what was not computed.
class BlockRunner {
 public:
  explicit BlockRunner(State& state) : state_(state) {
    for (std::size_t w = 0; w < operands_.size(); ++w) {
      for (std::size_t code = 0; code < operands_[w].size(); ++code)
        operands_[w][code] = &state.warps[w].file[code];
      for (std::size_t i = 0; i + 1 < out_.size(); ++i)
        operands_[w][kFirstSlotCode + i] = &out_[i].r;
    }
  }
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  // The warp of the blocks that follow.
  void enter(int warp) {
    number_of_warp_ = warp;
    warp_ = &state_.warps[warp];
    operand_ = operands_[warp].data();
  }

  // False where the launch ends with a trap; the state is then that of no machine.
  bool run(const FastBlock& block, int number, LaneMask mask) {
    block_ = &block;
    number_ = number;
    losers_ = 0;
    in_.mask = mask;
    warp_->file[kMaskCode] = wordsOf(Vector{} + mask);
    if (!(block.plain ? runSlots() : runDivisionOrTrap())) return false;
    const LaneMask held = block.conditional ? conditionBits() : kAll;
    commit();
    moveOn(held);
    return true;
  }

  // Why the last block ended the launch.
  Failure fault() const {
    return describeFault(*block_, number_, number_of_warp_, state_.ctaid, fault_);
  }

 private:
  bool runSlots() {
    for (int i = 0; i < block_->used; ++i) {
      const FastSlot& s = block_->fast[i];
      operand_[kImmediateCode] = &s.immediate;
      if (s.path == FastSlot::Path::Plain)
        s.lanes(operand(s.a), operand(s.b), operand(s.c), s.in, out_[i]);
      else if (!(s.path == FastSlot::Path::Memory ? runMemorySlot(s, i) : runOtherSlot(s, i)))
        return false;
    }
    return true;
  }

  bool runMemorySlot(const FastSlot& s, int i) {
    in_.guard = kAll;
    if (!readMemory(s, i)) return false;
    if (block_->slots[i].row->writesMemory())
      writeMemory(s, i);
    else
      s.lanes(operand(s.a), loaded_, operand(s.c), in_, out_[i]);
    return true;
  }

  bool runOtherSlot(const FastSlot& s, int i) {
    const DecodedSlot& d = block_->slots[i];
    in_.compare = s.in.compare;
    in_.aux = s.in.aux;
    guards_[i] = in_.guard = guardBits(d.slot.guard);
    if (d.row->unit == isa::Unit::Predicate)
      in_.second = guardBits({static_cast<std::uint8_t>(in_.aux & 7), (in_.aux & 8) != 0});
    const bool memory_operand = d.slot.space != isa::Space::None;
    if (memory_operand && !readMemory(s, i)) return false;
    if (d.row->writesMemory()) {
      writeMemory(s, i);
      return true;
    }
    s.lanes(operand(s.a), memory_operand ? loaded_ : operand(s.b), operand(s.c), in_, out_[i]);
    if (in_.guard != kAll) applyGuard(d, i);
    return true;
  }

  bool runDivisionOrTrap() {
    if (block_->header.divide)
      runDivision();
    else if (!runSlots())
      return false;
    if (block_->header.kind != isa::Terminator::Trap) return true;
    fault_.faults = in_.mask;
    return false;
  }

  // Slot 1 divides, slots 3 and 4 take quotient and remainder.
  void runDivision() {
    const FastSlot& divide = block_->fast[0];
    operand_[kImmediateCode] = &divide.immediate;
    const LaneWords &a = operand(divide.a), &b = operand(divide.b);
    divide.lanes(a, b, a, in_, out_[0]);
    for (int i = 1; i < kMachine.slots; ++i)
      if (block_->slots[i].row->result) block_->fast[i].lanes(a, b, out_[0].r, in_, out_[i]);
  }

  // ---- Memory. ----

  // False on a fault.
  bool readMemory(const FastSlot& s, int i) {
    const Vector index = vectorOf(operand(s.b));
    const Vector address = operand(s.base)[0] + (index << std::uint32_t{s.shift});
    const LaneWords row = wordsOf((address >> 2) & s.last_row);
    words_ = s.shared ? state_.shared.data() : state_.global.data();
    in_.byte = wordsOf(address & 3);
    loaded_ = wordsOf(Vector{words_[row[0]], words_[row[1]], words_[row[2]], words_[row[3]]});
    row_ = row;
    const bool good = isZero((address | (address - s.first_byte)) & s.forbidden_bits);
    return good || !noteFaults(i, wordsOf(address));
  }

  // Whether the address of a lane that takes part is bad.
  bool noteFaults(int i, const LaneWords& address) {
    const LaneMask bad = badAddresses(block_->slots[i], address) & in_.mask & in_.guard;
    if (bad == 0) return false;
    fault_.fault_slot = i;
    fault_.fault_lane = std::countr_zero(bad);
    fault_.stages[i].address = address;
    return true;
  }

  // Lanes write in their order, so that of those with one address the last one's word stays.
  void writeMemory(const FastSlot& s, int i) {
    const isa::Row& row = *block_->slots[i].row;
    const LaneMask part = in_.mask & in_.guard;
    const LaneWords& c = operand(s.c);
    LaneWords& result = out_[i].r;
    if (row.memory == MemoryUse::Combine) {
      check(block_->slots[i].slot.op == isa::Opcode::AtomAdd, "what combines adds");
      result = addInTurn(c, part);
      return;
    }
    s.lanes(operand(s.a), loaded_, c, in_, out_[i]);
    if (row.memory == MemoryUse::Replay) losers_ = repeats(row_, part);
    for (int l = 0; l < kMachine.lanes; ++l)
      if (((part & ~losers_) >> l & 1) != 0) words_[row_[l]] = result[l];
    if (row.result) result = choose(part, loaded_, {});
  }

  // Each lane reads what those before it left. Its result is what it read.
  LaneWords addInTurn(const LaneWords& c, LaneMask part) {
    const auto turn = [&](int l) -> std::uint32_t {
      if ((part >> l & 1) == 0) return 0;
      std::uint32_t& word = words_[row_[l]];
      return std::exchange(word, word + c[l]);
    };
    const std::uint32_t first = turn(0), second = turn(1), third = turn(2), fourth = turn(3);
    return wordsOf(Vector{first, second, third, fourth});
  }

  // ---- Predicates. ----

  LaneMask guardBits(isa::Guard guard) const {
    if (guard.always()) return kAll;
    const LaneMask bits = guard.isSlot() ? out_[guard.index()].p : warp_->predicates[guard.index()];
    return guard.negate ? ~bits & kAll : bits;
  }

  LaneMask conditionBits() const {
    const isa::Condition c = block_->header.condition;
    const LaneMask bits = c.isSlot() ? out_[c.index()].p : warp_->predicates[c.index()];
    return c.negate ? ~bits & kAll : bits;
  }

  // A failed guard: merging instructions keep the old value, the others give 0.
  void applyGuard(const DecodedSlot& d, int i) {
    if (d.guard_use == GuardUse::Input || d.guard_use == GuardUse::Unused) return;
    const LaneMask guard = in_.guard;
    isa::WarpOut& out = out_[i];
    const LaneWords old = d.guard_use == GuardUse::Merge ? operand(d.slot.c.code()) : LaneWords{};
    out.r = choose(guard, out.r, old);
    if (d.computes_predicate) out.p = (out.p & guard) | (warp_->predicates[d.slot.pd] & ~guard);
  }

  // ---- What leaves the block. ----

  void commit() {
    const LaneMask running = in_.mask & ~losers_;
    for (int n = 0; n < block_->leaving_count; ++n) {
      const Leaving& leaving = block_->leaves[n];
      const isa::WarpOut& out = out_[leaving.slot];
      const LaneMask lanes = leaving.guarded ? running & guards_[leaving.slot] : running;
      if (leaving.live) {
        LaneWords& row = warp_->file[leaving.rd];
        row = lanes == kAll ? out.r : choose(lanes, out.r, row);
      }
      if (leaving.plive) {
        std::uint8_t& bits = warp_->predicates[leaving.pd];
        bits = static_cast<std::uint8_t>((out.p & lanes) | (bits & ~lanes));
      }
    }
  }

  // `held`: the lanes whose condition holds.
  void moveOn(LaneMask held) {
    if (in_.mask == kAll && losers_ == 0) {
      if (held == kAll) return moveTogether(block_->held);
      if (held == 0) return moveTogether(block_->other);
    }
    LaneKeys keys = select(held, block_->held, block_->other);
    if (losers_ != 0) keys = select(losers_, everyLane(static_cast<std::uint8_t>(number_)), keys);
    moveLanes(*warp_, number_, in_.mask, keys);
  }

  void moveTogether(LaneKeys keys) {
    warp_->pc = keys;
    setResume(*warp_, keys[0], kAll);
  }

  const LaneWords& operand(std::uint32_t code) const { return *operand_[code]; }

  State& state_;
  // Where the operands of each warp stand, by code: results of slots and immediates are not copied.
  std::array<std::array<const LaneWords*, std::tuple_size_v<OperandFile>>, kMachine.warps>
      operands_;
  const FastBlock* block_ = nullptr;
  Warp* warp_ = nullptr;
  const LaneWords** operand_ = nullptr;  // of the warp
  int number_of_warp_ = 0;
  int number_ = 0;  // of the block
  isa::WarpIn in_;  // of a slot that is not plain; its mask is that of the block
  std::array<isa::WarpOut, kMachine.slots> out_;
  std::array<LaneMask, kMachine.slots> guards_{};  // of the slots on the path Other
  LaneMask losers_ = 0;
  LaneWords loaded_{};              // the word of the slot's memory operand in each lane
  LaneWords row_{};                 // and its row
  std::uint32_t* words_ = nullptr;  // of the space
  BlockResult fault_;
};

class Runner {
 public:
  Runner(const isa::Program& program, const protocol::Image& image) : image_(image) {
    blocks_.reserve(program.blocks.size());
    for (const isa::Block& block : program.blocks) blocks_.emplace_back(block);
    for (std::size_t i = 0; i < image.parameters.size(); ++i)
      setParameter(state_, static_cast<int>(i), image.parameters[i]);
    for (const protocol::MemoryWord& m : image.memory) memoryWord(state_, m.address) = m.value;
    state_.nctaid = image.thread_blocks;
  }

  Expected<FastRun> run(std::int64_t budget) {
    budget_ = left_ = budget;
    for (int cta = 0; cta < image_.thread_blocks; ++cta) {
      startThreadBlock(state_, cta, image_.threads);
      std::optional<Dispatch> next = Dispatch{0, 0, startMask(0, image_.threads)};
      for (; next; next = nextWarp(state_, next->warp))
        if (auto ran = runWarp(*next); !ran) return fail(std::move(ran.error()));
    }
    return result();
  }

 private:
  // Until none of its lanes can go on.
  Expected<void> runWarp(const Dispatch& start) {
    const Warp& warp = state_.warps[start.warp];
    runner_.enter(start.warp);
    int block = start.block;
    LaneMask mask = start.mask;
    do {
      if (left_ <= 0)
        return trap(fmt::format("the launch did not end within {} block executions", budget_));
      --left_;
      ++runs_[block][mask];
      if (!runner_.run(blocks_[block], block, mask)) return fail(runner_.fault());
      block = warp.resume.block;
      mask = warp.resume.mask;
    } while (warp.status.running);
    return {};
  }

  FastRun result() const {
    FastRun run{.global = state_.global, .shared = state_.shared};
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      for (LaneMask mask = 0; mask <= kAll; ++mask) {
        const std::int64_t instructions = runs_[b][mask] * blocks_[b].instructions;
        run.executions += runs_[b][mask];
        run.warp_instructions += instructions;
        run.lane_instructions += instructions * std::popcount(mask);
      }
    return run;
  }

  const protocol::Image& image_;
  std::vector<FastBlock> blocks_;
  State state_;
  BlockRunner runner_{state_};
  std::int64_t budget_ = 0, left_ = 0;  // in executions
  // How often each block ran for each mask.
  std::array<std::array<std::int64_t, kAll + 1>, kMachine.blocks> runs_{};
};

bool fits(const protocol::Image& image) {
  const auto within = [](int value, int low, int high) { return value >= low && value <= high; };
  if (!within(image.thread_blocks, 1, kMachine.thread_blocks)) return false;
  if (!within(image.threads, 1, kMachine.blockThreads())) return false;
  if (image.parameters.size() > static_cast<std::size_t>(kMachine.parameters)) return false;
  for (const protocol::MemoryWord& m : image.memory)
    if (!within(m.address, 0, protocol::kAddresses - 1)) return false;
  return true;
}

}  // namespace

Expected<FastRun> runFast(const isa::Program& program, const protocol::Image& image,
                          std::int64_t budget) {
  const auto wrong = isa::violations(program);
  if (!wrong.empty()) return refuse(wrong.front().text());
  if (!fits(image)) return refuse("the launch does not fit the machine");
  return Runner(program, image).run(budget);
}

}  // namespace qgpu::machine
