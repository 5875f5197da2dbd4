// A kernel's tree as CUDA C++, and the launch that goes with it.
//
//   printKernel(tree);   // "__global__ void k17(const int *in0, ..., int *out, int n0) { ... }"
//   launchOf(tree).parameters[0].name;   // "in0"
//
// The kernel is called k17 where 17 is the tree's number, its device functions f17_0 ...; no
// other name stands at file scope, so that sources of different numbers may share a file.
#pragma once

#include <string>

#include "fuzz/cuda/tree.h"

namespace qgpu::fuzz::cuda {

std::string kernelName(std::uint64_t number);  // "k17"
std::string printKernel(const KernelTree& tree);
// `kernel` is "k17.cu"; the contents of the arrays follow from the tree.
launch::Launch launchOf(const KernelTree& tree);

}  // namespace qgpu::fuzz::cuda
