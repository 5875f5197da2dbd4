// Places where LLVM 19's code generator for PTX falls short of the instruction set, put right in
// the optimised IR.
#pragma once

#include <llvm/IR/Module.h>

namespace qgpu::cuda {

// Funnel shifts by a variable amount become shf.wrap in place of seven instructions; atomicInc and
// atomicDec get the address space of their pointer in place of the generic one.
void rewriteForPtx(llvm::Module& module);

}  // namespace qgpu::cuda
