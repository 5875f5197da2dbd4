// Barriers, votes and shuffles. The warp has `warpSize` lanes; mask bits above them mean nothing.
#pragma once

#include <source_location>
#include <type_traits>

#include "conformance/cpu/device.h"
#include "device_variables.h"

// The clobber keeps the compiler from holding memory in registers across the wait.
inline void __syncthreads() {
  asm volatile("" ::: "memory");
  qgpu::cpu::meetBlock();
  asm volatile("" ::: "memory");
}

// Thread blocks run one after another, so that one count does for all.
inline int __syncthreads_count(int predicate) {
  static int count;
  __syncthreads();
  count = 0;
  __syncthreads();
  count += predicate != 0 ? 1 : 0;
  __syncthreads();
  return count;
}
inline int __syncthreads_and(int predicate) { return __syncthreads_count(predicate == 0) == 0; }
inline int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }

namespace qgpu::cpu {

inline std::uint64_t meetWarpWithMemory(const WarpRequest& request) {
  asm volatile("" ::: "memory");
  const std::uint64_t result = meetWarp(request);
  asm volatile("" ::: "memory");
  return result;
}

template <typename T>
T shuffle(WarpOperation operation, unsigned mask, T value, unsigned operand, int width) {
  static_assert(std::is_integral_v<T>);
  return static_cast<T>(meetWarpWithMemory(
      {operation, mask, static_cast<std::uint64_t>(value), operand, static_cast<unsigned>(width)}));
}

inline std::uint64_t vote(WarpOperation operation, unsigned mask, bool predicate) {
  return meetWarpWithMemory({operation, mask, predicate, 0, static_cast<unsigned>(warpSize)});
}

}  // namespace qgpu::cpu

inline void __syncwarp(unsigned mask = 0xffffffffu) {
  qgpu::cpu::meetWarpWithMemory({qgpu::cpu::WarpOperation::Sync, mask, 0, 0, 1});
}
inline void __threadfence() { asm volatile("" ::: "memory"); }
inline void __threadfence_block() { asm volatile("" ::: "memory"); }
[[noreturn]] inline void __trap() { qgpu::cpu::trapKernel(); }

template <typename T>
T __shfl_sync(unsigned mask, T value, int lane, int width = warpSize) {
  return qgpu::cpu::shuffle(qgpu::cpu::WarpOperation::ShuffleIndex, mask, value,
                            static_cast<unsigned>(lane), width);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = warpSize) {
  return qgpu::cpu::shuffle(qgpu::cpu::WarpOperation::ShuffleUp, mask, value, distance, width);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = warpSize) {
  return qgpu::cpu::shuffle(qgpu::cpu::WarpOperation::ShuffleDown, mask, value, distance, width);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = warpSize) {
  return qgpu::cpu::shuffle(qgpu::cpu::WarpOperation::ShuffleXor, mask, value,
                            static_cast<unsigned>(lanes), width);
}

inline int __all_sync(unsigned mask, int predicate) {
  return static_cast<int>(qgpu::cpu::vote(qgpu::cpu::WarpOperation::VoteAll, mask, predicate != 0));
}
inline int __any_sync(unsigned mask, int predicate) {
  return static_cast<int>(qgpu::cpu::vote(qgpu::cpu::WarpOperation::VoteAny, mask, predicate != 0));
}
inline int __uni_sync(unsigned mask, int predicate) {
  return static_cast<int>(
      qgpu::cpu::vote(qgpu::cpu::WarpOperation::VoteUniform, mask, predicate != 0));
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return static_cast<unsigned>(
      qgpu::cpu::vote(qgpu::cpu::WarpOperation::Ballot, mask, predicate != 0));
}
inline unsigned __activemask(const std::source_location& where = std::source_location::current()) {
  return qgpu::cpu::convergedLanes(where);
}
