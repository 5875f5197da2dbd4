// Many random kernels, compiled at once by the C++ compiler of this computer and run by the CPU
// runner of conformance/cpu: what they must compute. It shares nothing with the machine, its
// interpreter or its compiler.
//
//   const auto results = runNatively(kernels);   // Expected<std::vector<NativeResult>>
//   if (results && (*results)[0]) (*results)[0]->at("out");
//
// Each kernel runs in two orders of its threads, with other values in shared memory at the start.
// Where the results differ the kernel is at fault, and so is the generator: that is a Trap.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fuzz/cuda/generate.h"
#include "interpreter/base/failure.h"

namespace qgpu::fuzz::cuda {

struct NativeOptions {
  std::string compiler = "g++";  // looked for on the PATH
  std::vector<std::string> flags = {"-O1"};
};

// The arrays after a kernel. Traps: what conformance/cpu/native.h lists, and a result that depends
// on the order of the threads.
using NativeResult = Expected<launch::Arrays>;

// One result for each kernel, in order. Kernels are compiled in a temporary folder and run in a
// process of their own. Refused: no such compiler, no process, no room for files. A Bug, with the
// compiler's first words: a text that it does not take.
Expected<std::vector<NativeResult>> runNatively(std::span<const GeneratedKernel> kernels,
                                                const NativeOptions& options = {});

}  // namespace qgpu::fuzz::cuda
