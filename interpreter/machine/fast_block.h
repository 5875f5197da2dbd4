// Blocks as the runner without tokens wants them: what its loops need of a slot stands together,
// and what they would ask of it is answered beforehand.
#pragma once

#include <array>
#include <cstdint>

#include "interpreter/machine/execute.h"

namespace qgpu::machine {

struct FastSlot {
  enum class Path : std::uint8_t {
    Plain,   // nothing but operands
    Memory,  // a memory operand, for all lanes
    Other,   // guards, predicates, votes
  };

  // The clause and, for a plain slot, what it sees beside its operands.
  decltype(isa::Row::lanes) lanes = nullptr;
  isa::WarpIn in;
  LaneWords immediate{};
  Path path = Path::Plain;
  std::uint8_t a = 0, b = 0, c = 0;  // codes of operands
  // The memory operand: the operand whose first lane is the base address, the shift of the index b,
  // and what DecodedSlot says of good addresses.
  std::uint8_t base = 0, shift = 0;
  bool shared = false;
  std::uint32_t last_row = 0;
  std::uint32_t first_byte = 0, forbidden_bits = 0;
};

// What is live when the block ends.
struct Leaving {
  std::uint8_t slot = 0, rd = 0, pd = 0;
  bool live = false, plive = false;
  bool guarded = false;  // lanes whose guard fails do not commit
};

struct FastBlock : DecodedBlock {
  std::array<FastSlot, kMachine.slots> fast;
  std::array<Leaving, kMachine.slots> leaves{};  // leaving_count of them
  bool plain = true;                             // neither a division nor a trap
  bool conditional = false;                      // lanes may go two ways

  explicit FastBlock(const isa::Block& block);
};

}  // namespace qgpu::machine
