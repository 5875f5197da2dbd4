// The passes between clang's IR and the code generator, chosen for a machine with 32 blocks of 4
// instructions.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <string_view>

#include "compiler/cuda/compile.h"

namespace qgpu::cuda {

// Inlines everything into the kernels and optimises them.
void optimize(llvm::Module& module, llvm::TargetMachine& machine, const CudaOptions& options);

}  // namespace qgpu::cuda
