// One block for one warp: the four pipeline stages. Nothing here changes the state; the tokens do.
//
//   DecodedBlock block(words);
//   BlockResult result;
//   runBlock(block, warp, memory, mask, result);
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
  int shift = 0;  // of the index of its memory operand
  bool computes_predicate = false;
  isa::GuardUse guard_use{};
};

struct DecodedBlock {
  std::array<DecodedSlot, kMachine.slots> slots;
  isa::Header header;
  int used = 0;  // slots up to the last that is not nop

  explicit DecodedBlock(const isa::Block& block);
};

// What one stage did, for all lanes.
struct StageResult {
  LaneWords r{};        // the slot's result
  LaneMask p = 0;       // its predicate
  LaneMask guard = 0;   // lanes whose guard holds, or whose input is 1
  LaneWords address{};  // of the memory operand, in bytes; 0 without one
  LaneWords loaded{};   // the word read there; 0 without one
  friend bool operator==(const StageResult&, const StageResult&) = default;
};

struct BlockResult {
  std::array<StageResult, kMachine.slots> stages{};
  LaneMask losers = 0;  // lanes that lost a replay
  LaneMask faults = 0;  // lanes with an address outside memory, or all where the block traps
  int fault_slot = -1;  // the first slot at fault; -1: the terminator
  int writer = -1;      // the slot that writes memory
  LaneMask writes = 0;  // the lanes whose word is written
  LaneWords words{};    // and the words, at stages[writer].address
  std::array<std::uint8_t, kMachine.lanes> pc{};  // the new key of each lane of the mask
};

struct Memory {
  std::span<const std::uint32_t, kMachine.global_rows> global;
  std::span<const std::uint32_t, kMachine.shared_words> shared;
};

// Fills `file`'s specials for a warp of the running thread block.
void setSpecials(OperandFile& file, int warp, int ctaid, int ntid, int nctaid);

// `warp.file` must hold specials and parameters; its slot results, immediate and mask are
// overwritten.
void runBlock(const DecodedBlock& block, int number, Warp& warp, const Memory& memory,
              LaneMask mask, BlockResult& result);

// The lanes that commit slot `i`.
LaneMask committing(const DecodedSlot& slot, const StageResult& stage, LaneMask mask,
                    LaneMask losers);

// The word row a MEM token names for a byte address.
int memoryAddress(isa::Space space, std::uint32_t byte_address);

}  // namespace qgpu::machine
