// One block for four threads, for the plain executor: what each slot comes to in each thread, and
// what the threads write.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "interpreter/testing/machine_case.h"
#include "interpreter/testing/plain_clauses.h"

namespace qgpu::isatest {

inline constexpr int kLanes = 4, kSlots = 4;

struct Thread {
  enum class Status : std::uint8_t { Ready, Waiting, Ended };

  std::array<std::uint32_t, 16> registers{};
  std::array<bool, 4> predicates{};
  Status status = Status::Ended;
  int block = 0;
};

// By MEM address: global memory from 0, shared memory from 128.
using PlainMemory = std::array<std::uint32_t, 192>;

// Where a block runs.
struct Place {
  const MachineCase& launch;
  const Meaning& meaning;
  int ctaid, warp, number;
  std::array<Thread*, kLanes> threads;
  std::array<bool, kLanes> running;  // in the mask
};

// What one slot came to in one thread.
struct Outcome {
  std::uint32_t result = 0;
  bool predicate = false;
  bool guard = true;
  std::uint32_t address = 0;  // of the memory operand
  std::uint32_t loaded = 0;
};

// What one thread does in the block.
struct Visit {
  std::array<Outcome, kSlots> slots{};
  bool replays = false;
  std::optional<int> writes;  // the MEM address
  std::uint32_t word = 0;     // and what goes there
};

class PlainBlock {
 public:
  PlainBlock(const Place& place, const PlainMemory& memory) : place_(place), memory_(memory) {}

  // Nothing is written anywhere. False on a fault.
  bool run();

  const Visit& visit(int lane) const { return visits_[lane]; }
  // Whether the thread commits that slot.
  bool commits(int slot, int lane) const;

 private:
  using Inputs = std::array<PlainIn, kLanes>;

  const isa::Block& block() const { return place_.launch.program.blocks[place_.number]; }
  PlainKind kind(isa::Opcode op) const { return place_.meaning.kind(op); }
  void runSlot(int index);
  PlainIn operands(const isa::Slot& slot, int index, int lane);
  std::uint32_t value(isa::Operand o, const isa::Slot& slot, int lane) const;
  std::uint32_t parameter(int index) const;
  std::uint32_t special(isa::Special which, int lane) const;
  bool truth(int code, bool negate, int lane) const;
  void readMemory(const isa::Slot& slot, int index, int lane, PlainIn& in);
  void compute(const isa::Slot& slot, int index, const Inputs& in);
  PlainIn divided(const isa::Slot& slot, PlainIn in, int lane) const;
  std::uint32_t combined(isa::Opcode op, PlainIn in, int lane, std::uint32_t word) const;
  void keepOld(const isa::Slot& slot, int index, const Inputs& in);
  void writeMemory(const isa::Slot& slot, int index, const Inputs& in);

  const Place& place_;
  const PlainMemory& memory_;
  std::array<Visit, kLanes> visits_;
  bool fault_ = false;
};

}  // namespace qgpu::isatest
