// Source text -> LLVM IR, and the kernels found on the way.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/cuda/compile.h"
#include "compiler/cuda/frontend/diagnostics.h"

namespace qgpu::cuda {

struct Parsed {
  std::unique_ptr<llvm::Module> module;  // null after an error; not optimised
  std::vector<Kernel> kernels;           // those in the module, in its order
  std::vector<std::string> templates;    // kernel templates, as "ns::reduce0<T>"
  std::string example;                   // an instance of the first: "ns::reduce0<int>"
  std::vector<std::string> instances;    // mangled names of the wanted instances, in their order
  std::vector<Message> messages;
  // Offsets into the source of the words that make a declaration one for the device.
  std::vector<unsigned> device_words;

  // What is wrong with the wanted instances, if the first error is not in the source.
  std::optional<std::string> instance_error;

  bool failed() const { return module == nullptr; }
};

// Parses `source`. Each of `wanted` is a name such as "reduce0<int>", an instance of a kernel
// template to make besides those that the source asks for.
Parsed parse(std::string_view source, std::string_view file_name, const CudaOptions& options,
             const std::vector<std::string>& wanted, llvm::LLVMContext& context);

}  // namespace qgpu::cuda
