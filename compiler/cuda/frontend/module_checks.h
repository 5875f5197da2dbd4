// What the machine cannot do, found in LLVM's IR.
#pragma once

#include <llvm/IR/Module.h>

#include <string_view>
#include <vector>

#include "compiler/cuda/compile.h"

namespace qgpu::cuda {

// The kernels of a module, by name.
std::vector<llvm::Function*> kernelsOf(llvm::Module& module);

// Before everything is inlined. Refused: recursion; more instructions than the limit once inlined
// (the cost of the passes grows with the square, so this is asked first); a kernel whose name PTX
// cannot hold.
Expected<void> checkBeforeInlining(llvm::Module& module, const std::vector<Kernel>& kernels,
                                   std::string_view file_name, const Limits& limits);

// After optimisation. Refused: a call that is left (to a function that is declared only, of the
// host library or of the user, or through a pointer); a variable without a definition.
Expected<void> checkOptimized(llvm::Module& module, std::string_view file_name);

}  // namespace qgpu::cuda
