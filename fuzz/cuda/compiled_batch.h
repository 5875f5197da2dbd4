// Many random kernels, compiled by qgpu's front end at once: one text for clang, one module.
//
//   auto batch = CompiledBatch::compile(kernels, 1);
//   auto program = batch->program(kernels[3], {.if_convert = false});   // Expected<Program>
#pragma once

#include <map>
#include <span>
#include <string>

#include "fuzz/cuda/generate.h"
#include "tools/api/qgpu.h"

namespace qgpu::fuzz::cuda {

class CompiledBatch {
 public:
  // With an optimisation level of the front end, 0 to 3. Refused: what the compiler refuses or is
  // brought down by; random kernels give it no reason to.
  static Expected<CompiledBatch> compile(std::span<const GeneratedKernel> kernels, int opt_level);

  // The program of one of them. Refused: what the machine has no room for.
  Expected<Program> program(const GeneratedKernel& kernel, const lower::Options& options);

 private:
  Kernel kernel_;  // the module of all; the rest is that of the kernel last asked for
  std::map<std::string, std::string> entries_;  // in the module, by the kernel's name
};

}  // namespace qgpu::fuzz::cuda
