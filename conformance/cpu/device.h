// What CUDA code running on the CPU asks of the runner: who am I, wait for the others, exchange
// values with my warp. The CUDA names for all this are in the headers under include/.
#pragma once

#include <cstdint>
#include <source_location>

namespace qgpu::cpu {

// The machine's. A launch may run in warps of another size, a power of two up to 32: `warpSize` of
// device_variables.h says which.
inline constexpr unsigned kWarpSize = 4;

// One lane's part in an operation of its warp. Lanes meet when all live lanes named in `mask` have
// come with the same operation, mask and width.
enum class WarpOperation : std::uint8_t {
  Sync,
  ShuffleIndex,
  ShuffleUp,
  ShuffleDown,
  ShuffleXor,
  VoteAll,
  VoteAny,
  VoteUniform,
  Ballot,
};
struct WarpRequest {
  WarpOperation operation = WarpOperation::Sync;
  unsigned mask = 0;
  std::uint64_t value = 0;     // shuffles: what other lanes may read; votes: 0 or 1
  unsigned operand = 0;        // shuffles: source lane, distance or lane mask
  unsigned width = kWarpSize;  // shuffles: lanes of a segment
};

// Waits for the other lanes; gives the lane's result. Ends the launch with a Trap on misuse: a lane
// outside its own mask, an odd width, a shuffle from a lane that takes no part.
std::uint64_t meetWarp(const WarpRequest& request);

// The lanes that run together here: all lanes of the warp that come to `where` before any of them
// can go on.
unsigned convergedLanes(const std::source_location& where);

// Waits until every live thread of the block waits here.
void meetBlock();

// Called after each atomic operation: in the interleaved order other threads run here.
void afterAtomic();

// Ends the launch: the kernel executed a trap.
[[noreturn]] void trapKernel();

}  // namespace qgpu::cpu
