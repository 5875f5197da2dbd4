// Compiles in a child process, so that whatever a source does to the compiler ends there.
//
// The first compile starts a server: a fork of this process (no exec) that loads clang, prepares
// it, and then forks once more for each compile. So a compile starts with everything warm in memory
// shared with the server, costs about 2 ms more than one in this process, and is rid of its limits
// by the kernel: stack and memory by a fault, time by an alarm. The server ends when this process
// does. Requests carry their own socket, so threads compile side by side.
#pragma once

#include <string_view>

#include "compiler/cuda/compile.h"

namespace qgpu::cuda {

Expected<CompiledPtx> compileInChild(std::string_view source, std::string_view file_name,
                                     const CudaOptions& options);

}  // namespace qgpu::cuda
