// A whole launch on the CPU, in this process: arguments, blocks one after another, results.
#pragma once

#include "compiler/launch/launch.h"
#include "conformance/cpu/block.h"
#include "conformance/cpu/registry.h"

namespace qgpu::cpu {

// Runs every block of the grid. Before each block all shared memory is filled with a pattern that
// depends on the order, as is the space beside each array: a kernel that reads what nobody wrote
// gives different results in different orders.
// Warps have `warp_size` lanes, a power of two up to 32.
Expected<launch::Arrays> runGrid(const Kernel& kernel, const launch::Launch& launch, Order order,
                                 unsigned warp_size = kWarpSize);

}  // namespace qgpu::cpu
