// The memory behind __shared__ variables.
//
// CUDA code is compiled with __shared__ as thread_local: the one C++ storage class that makes a
// variable in a function static, may be combined with extern, and lies in a segment of its own.
// All threads of a launch are fibres of one system thread and so share these variables, and the
// thread-local segment of this library holds nothing else.
#pragma once

#include <cstddef>
#include <span>

namespace qgpu::cpu {

// All __shared__ variables of all compiled kernels, or of those in the library that was named.
std::span<std::byte> sharedMemory();

// From now on the kernels are those of the shared library that holds `address`, which was loaded
// later. One of its thread-local variables must have been used before, so that they exist.
void useSharedMemoryOf(const void* address);

}  // namespace qgpu::cpu
