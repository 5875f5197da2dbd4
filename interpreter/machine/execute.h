// One block for one warp: the four pipeline stages. Nothing here changes the state; the tokens do.
//
//   const DecodedBlock block(*isa::decodeBlock(words));
//   Pipeline pipeline;
//   pipeline.run(block, number, warp, {state.global, state.shared}, mask).stages[3].r;
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "interpreter/machine/state.h"

namespace qgpu::machine {

// A slot with what its row says already looked up.
struct DecodedSlot {
  isa::Slot slot;
  const isa::Row* row = nullptr;
  LaneWords immediate{};  // in every lane
  int shift = 0;          // of the index of its memory operand
  // A byte address a of the memory operand is good when neither a nor a - first_byte has one of the
  // forbidden bits: those from the size of the space up (a power of two) and those below the width.
  std::uint32_t first_byte = 0, forbidden_bits = 0;
  bool computes_predicate = false;
  bool plain = false;  // no guard, no memory, no predicates read
  isa::GuardUse guard_use{};
};

struct DecodedBlock {
  std::array<DecodedSlot, kMachine.slots> slots;
  isa::Header header;
  int used = 0;                                        // slots up to the last that is not nop
  int instructions = 0;                                // slots that are not nop
  std::array<std::uint8_t, kMachine.slots> leaving{};  // the slots with a live result or predicate
  int leaving_count = 0;
  LaneKeys held{}, other{};  // the keys of lanes whose condition holds and of the others

  explicit DecodedBlock(const isa::Block& block);
};

// What one stage did, for all lanes: the slot's result r (0 where the instruction has none) and its
// predicate p, and
struct StageResult : isa::WarpOut {
  LaneMask guard = 0;   // lanes whose guard holds, or whose input is 1
  LaneWords address{};  // of the memory operand, in bytes; 0 without one
  LaneWords loaded{};   // the word read there; 0 without one
  friend bool operator==(const StageResult&, const StageResult&) = default;
};

struct BlockResult {
  std::array<StageResult, kMachine.slots> stages{};
  LaneMask losers = 0;  // lanes that lost a replay
  LaneMask faults = 0;  // lanes with a bad address in some slot; the mask where the block traps
  int fault_slot = -1;  // the first slot with a bad address; -1: none
  int fault_lane = -1;  // and its first lane
  int writer = -1;      // the slot that writes memory
  LaneMask writes = 0;  // the lanes whose word is written
  LaneWords words{};    // and the words, at stages[writer].address
  LaneKeys pc{};        // the new key of each lane of the mask
};

// What a block sees of the memories.
struct Memory {
  std::span<const std::uint32_t, kMachine.global_rows> global;
  std::span<const std::uint32_t, kMachine.shared_words> shared;
};

// The stages, with what they did last.
class Pipeline {
 public:
  // Runs the block with that number. `warp.file` must hold the specials and parameters (see
  // state.h); its slot results, immediate and mask are scratch.
  const BlockResult& run(const DecodedBlock& block, int number, Warp& warp, const Memory& memory,
                         LaneMask mask);
  const BlockResult& result() const { return result_; }

 private:
  isa::WarpIn in_;  // of the running slot; kept here because clearing it for each block costs time
  BlockResult result_;
};

// The launch's end on a fault: which threads, which block, and what they did. `result.faults` is
// not empty.
Failure describeFault(const DecodedBlock& block, int number, int warp, int ctaid,
                      const BlockResult& result);

// Lanes whose address is misaligned, outside its space or in the null word.
inline LaneMask badAddresses(const DecodedSlot& slot, const LaneWords& address) {
  LaneMask bad = 0;
  for (int l = 0; l < kMachine.lanes; ++l) {
    const std::uint32_t bits = address[l] | (address[l] - slot.first_byte);
    bad |= LaneMask{(bits & slot.forbidden_bits) != 0} << l;
  }
  return bad;
}

// The lanes that commit a slot.
inline LaneMask committing(const DecodedSlot& slot, const StageResult& stage, LaneMask mask,
                           LaneMask losers) {
  const LaneMask guard =
      slot.guard_use == isa::GuardUse::Commit ? stage.guard : kMachine.allLanes();
  return mask & guard & ~losers;
}

// The word row a MEM token names for a byte address.
inline int memoryAddress(isa::Space space, std::uint32_t byte_address) {
  constexpr std::uint32_t kGlobalRows = kMachine.global_rows, kSharedRows = kMachine.shared_words;
  const std::uint32_t row = byte_address / 4;
  return static_cast<int>(space == isa::Space::Shared ? protocol::kSharedBase + row % kSharedRows
                                                      : row % kGlobalRows);
}

}  // namespace qgpu::machine
