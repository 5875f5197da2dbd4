// Random CUDA kernels that every correct compiler and every correct machine must agree on.
//
//   const GeneratedKernel kernel = generateKernel(17);
//   kernel.source;                           // of k17.cu, with the one kernel k17
//   kernel.launch;                           // its geometry and arguments
//   kernel.features.has(Feature::Shuffle);   // what it uses
//   kernel.features.width4Only();            // true: leave it out on a GPU with 32 lanes
//
// The kernel of a number is the same everywhere and always. It is well defined by construction: no
// undefined behaviour, no race, no dependence on the order of threads nor, but for votes, on the
// width of a warp (shuffles state a width of 4 or 2, and all threads of the thread block take part
// in them). What every thread stores at its end depends on most of what it did.
//
// Most kernels fit qgpu's machine: small arrays, few variables, a score of operations. Some do not,
// and are refused with the reason. All names at file scope end in the number.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/launch/launch.h"
#include "fuzz/cuda/features.h"
#include "fuzz/cuda/tree.h"

namespace qgpu::fuzz::cuda {

struct GeneratedKernel {
  std::uint64_t number = 0;
  std::string source;
  launch::Launch launch;
  Features features;
};

GeneratedKernel generateKernel(std::uint64_t number);

// The tree behind it, and what of a tree becomes of it.
KernelTree generateTree(std::uint64_t number);
GeneratedKernel kernelOf(const KernelTree& tree);

}  // namespace qgpu::fuzz::cuda
