// What LLVM says about a module after clang is done with it.
#pragma once

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/LLVMContext.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/cuda/compile.h"

namespace qgpu::cuda {

// Listens to a context for as long as it lives. Without a listener LLVM prints an error and ends
// the process.
class LlvmMessages {
 public:
  LlvmMessages(llvm::LLVMContext& context, std::string_view file_name);
  ~LlvmMessages();
  LlvmMessages(const LlvmMessages&) = delete;
  LlvmMessages& operator=(const LlvmMessages&) = delete;

  const std::optional<Failure>& error() const { return error_; }  // the first one
  const std::vector<Warning>& warnings() const { return warnings_; }

 private:
  void take(const llvm::DiagnosticInfo& info);

  llvm::LLVMContext& context_;
  std::string file_name_;
  std::optional<Failure> error_;
  std::vector<Warning> warnings_;
};

}  // namespace qgpu::cuda
