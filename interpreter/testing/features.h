// What a launch does when it runs: the coverage that tests and campaigns assert of their
// generators.
//
//   Features features = featuresOf(launch);
//   features.has(Feature::Diverges);
//   features.executed[static_cast<int>(Opcode::Add)];   // how often
#pragma once

#include <array>
#include <bitset>
#include <string_view>

#include "interpreter/isa/instruction.h"
#include "interpreter/testing/machine_case.h"

namespace qgpu::isatest {

enum class Feature : std::uint8_t {
  ManyWarps,
  ManyThreadBlocks,
  PartialWarp,
  Diverges,          // some living lanes of a warp run without the others
  Loops,             // a warp runs the same block again, replays apart
  Barrier,           // a warp waits
  DivergentBarrier,  // while some of its living lanes are elsewhere
  EarlyExit,         // lanes end before others of their warp
  GuardFails,        // in a lane that runs
  Forwards,          // a slot reads an earlier one's result
  MemoryOperand,     // an arithmetic instruction reads memory
  SharedMemory,
  SubWord,
  Atomic,
  AtomicConflict,  // two lanes with one address
  StoreConflict,
  Replay,
  Shuffle,
  Vote,
  PredicateLogic,
  Division,
  DivisionByZero,
  UniformValue,
  LaneValue,
  LongValue,  // with both EXT tokens
  PredicateToken,
  Traps,
  TrapInstruction,  // through the terminator
};
inline constexpr int kFeatures = static_cast<int>(Feature::TrapInstruction) + 1;
std::string_view name(Feature feature);  // "many warps"

struct Features {
  std::bitset<kFeatures> found;
  std::array<int, isa::kOpcodes> executed{};

  bool has(Feature f) const { return found[static_cast<std::size_t>(f)]; }
  void add(Feature f, bool seen = true) { found[static_cast<std::size_t>(f)] = has(f) || seen; }
};

// Runs the launch on machine::Machine.
Features featuresOf(const MachineCase& launch);

}  // namespace qgpu::isatest
