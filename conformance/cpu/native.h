// Running a launch natively: the same .cu, compiled by the C++ compiler for the CPU. This is the
// source of every expected value, and it shares nothing with the machine, its interpreter or its
// compiler but the description of a launch.
//
//   auto arrays = runNatively("own/dot:dot", launch, Order::Forward);   // Expected<Arrays>
#pragma once

#include <string>

#include "compiler/launch/launch.h"
#include "conformance/cpu/block.h"
#include "interpreter/base/failure.h"

namespace qgpu::cpu {

// The arrays after the launch. `kernel` is a name of the registry.
//
// The launch runs in a process of its own, so that __device__ variables start afresh and no kernel
// can hurt the caller. Refusals: no such kernel, arguments that do not match its signature, more
// dynamic shared memory than kMaxDynamicSharedBytes. Traps: a deadlock, a misused warp operation,
// `__trap`, a write beside an array, a crash, more than ten seconds of
// processor time.
//
// With a `warp_size` of 32 warps are a GPU's: a kernel that gives the same then, and in 4, depends
// on neither.
Expected<launch::Arrays> runNatively(const std::string& kernel, const launch::Launch& launch,
                                     Order order, unsigned warp_size = kWarpSize);

inline constexpr std::uint32_t kMaxDynamicSharedBytes = 4096;

}  // namespace qgpu::cpu
