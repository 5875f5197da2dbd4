// The sizes of the machine. Everything else is written in terms of these; no other file holds them
// as literals.
#pragma once

#include <cstdint>

namespace qgpu {

struct MachineParameters {
  int lanes = 4;       // threads in a warp
  int registers = 16;  // per thread; register 0 reads as zero and is never written
  int predicates = 4;  // per thread
  int slots = 4;       // instructions in a block, one for each pipeline stage
  int blocks = 32;     // the program store
  int warps = 8;       // in a thread block, hence thread blocks of up to lanes * warps threads
  int launch_threads = 128;  // in a whole launch
  int thread_blocks = 256;   // in a launch: what a CTA token can number
  int global_words = 126;    // what the arrays of a launch may occupy together
  int global_rows = 128;     // word rows of global memory: row 0 is the null word, never allocated
  int shared_words = 64;     // per thread block
  int parameters = 32;       // words a launch may pass beside its arrays

  constexpr int blockThreads() const { return lanes * warps; }
  constexpr std::uint32_t allLanes() const { return (1u << lanes) - 1; }
};

inline constexpr MachineParameters kMachine{};

}  // namespace qgpu
