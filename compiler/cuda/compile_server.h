// Compiles in a child process, so that whatever a source does to the compiler ends there.
//
// The first compile starts a server: a fork of this process (no exec) that loads clang, prepares
// it, and then forks once more for each compile. So a compile starts with everything warm in memory
// shared with the server, costs about 3 ms more than one in this process, and has its limits from
// the kernel: stack and memory end in a fault, time in a signal. The server ends when this process
// does. Requests carry their own socket, so threads compile side by side.
//
// A system that has no process, thread or socket left says nothing about the source: then, as where
// a std::thread cannot start, a std::system_error is thrown, which the programs' main functions
// catch.
#pragma once

#include <shared_mutex>
#include <string_view>

#include "compiler/cuda/compile.h"

namespace qgpu::cuda {

Expected<CompiledPtx> compileInChild(std::string_view source, std::string_view file_name,
                                     const CudaOptions& options);

// Held, shared, by compiles in this process. Starting the server waits for it: a fork amid a
// compile would copy locks of LLVM that nobody in the copy gives back.
std::shared_mutex& compilingHere();

}  // namespace qgpu::cuda
