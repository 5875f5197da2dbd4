// LLVM IR -> PTX text.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>
#include <string_view>

namespace qgpu::cuda {

// LLVM's NVPTX target for sm_75 and PTX 6.3.
std::unique_ptr<llvm::TargetMachine> makeTarget();

// The module's PTX. `.file` lines name files as the user knows them.
std::string emitPtx(llvm::Module& module, llvm::TargetMachine& machine, std::string_view file_name);

}  // namespace qgpu::cuda
