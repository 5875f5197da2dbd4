// The front end proper, in the shared library that the rest loads when the first CUDA source comes.
// clang and LLVM take 40 ms to load and 100 MB, which runs without CUDA need not pay.
#pragma once

#include <string_view>

#include "compiler/cuda/compile.h"

namespace qgpu::cuda {

struct FrontEnd {
  // Does everything that is the same for all compiles.
  void (*prepare)();
  // Compiles in this process; `options.isolation` is not looked at.
  Expected<CompiledPtx> (*compile)(std::string_view source, std::string_view file_name,
                                   const CudaOptions& options);
  // What to do when a compile cannot go on (see stop.h). The handler must not return.
  void (*set_stop_handler)(void (*handler)(const Failure& refusal));
};

// The name of the library's one function: `const FrontEnd* qgpuCudaFrontEnd()`.
inline constexpr char kFrontEndSymbol[] = "qgpuCudaFrontEnd";

}  // namespace qgpu::cuda
