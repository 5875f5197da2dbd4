// Cooperative groups for code compiled for the CPU, on the runner's own barriers and shuffles.
#pragma once

#include <source_location>

#include "device_variables.h"
#include "integer_functions.h"
#include "synchronization.h"

namespace cooperative_groups {

struct thread_block {
  static void sync() { __syncthreads(); }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static unsigned thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
};
inline thread_block this_thread_block() { return {}; }

struct grid_group {
  static unsigned long long size() {
    return 1ull * gridDim.x * gridDim.y * gridDim.z * thread_block::size();
  }
  static unsigned long long num_threads() { return size(); }
  static unsigned long long thread_rank() {
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    return 1ull * block * thread_block::size() + thread_block::thread_rank();
  }
};
inline grid_group this_grid() { return {}; }

// The lanes that a mask names, in their order.
class Lanes {
 public:
  explicit Lanes(unsigned mask) : mask_(mask) {}
  unsigned size() const { return static_cast<unsigned>(__builtin_popcount(mask_)); }
  unsigned rank(unsigned lane) const {
    return static_cast<unsigned>(__builtin_popcount(mask_ & ((1u << lane) - 1)));
  }
  int lane(unsigned rank) const {
    for (int lane = 0; lane < 32; ++lane)
      if ((mask_ >> lane & 1) != 0 && rank-- == 0) return lane;
    return 0;
  }
  unsigned mask() const { return mask_; }

 private:
  unsigned mask_;
};

inline unsigned laneHere() { return thread_block::thread_rank() % static_cast<unsigned>(warpSize); }

// What tiles and coalesced groups share: both are some lanes of the warp.
class WarpGroup {
 public:
  explicit WarpGroup(unsigned mask) : lanes_(mask) {}
  void sync() const { __syncwarp(lanes_.mask()); }
  unsigned size() const { return lanes_.size(); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const { return lanes_.rank(laneHere()); }
  template <typename T>
  T shfl(T value, unsigned rank) const {
    return __shfl_sync(lanes_.mask(), value, lanes_.lane(rank % size()));
  }
  template <typename T>
  T shfl_up(T value, unsigned by) const {
    const unsigned here = thread_rank();
    return shfl(value, here < by ? here : here - by);
  }
  template <typename T>
  T shfl_down(T value, unsigned by) const {
    const unsigned here = thread_rank();
    return shfl(value, here + by < size() ? here + by : here);
  }
  template <typename T>
  T shfl_xor(T value, unsigned mask) const {
    return shfl(value, thread_rank() ^ mask);
  }
  int any(int predicate) const { return ballot(predicate) != 0 ? 1 : 0; }
  int all(int predicate) const { return ballot(predicate == 0 ? 1 : 0) == 0 ? 1 : 0; }
  unsigned ballot(int predicate) const {
    const unsigned votes = __ballot_sync(lanes_.mask(), predicate);
    unsigned result = 0;
    for (unsigned rank = 0; rank < size(); ++rank)
      result |= (votes >> lanes_.lane(rank) & 1) << rank;
    return result;
  }

 private:
  Lanes lanes_;
};

using coalesced_group = WarpGroup;
inline coalesced_group coalesced_threads(
    const std::source_location& where = std::source_location::current()) {
  return WarpGroup(qgpu::cpu::convergedLanes(where));
}

template <unsigned width>
struct thread_block_tile : WarpGroup {
  thread_block_tile() : WarpGroup(((1u << width) - 1) << (laneHere() / width * width)) {}
  static unsigned meta_group_rank() { return thread_block::thread_rank() / width; }
  static unsigned meta_group_size() { return (thread_block::size() + width - 1) / width; }
};
template <unsigned width>
thread_block_tile<width> tiled_partition(const thread_block&) {
  return {};
}

}  // namespace cooperative_groups
