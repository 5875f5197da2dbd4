// From a whole .cu file, host code and all, to the IR of its kernels.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "compiler/cuda/frontend/parse.h"

namespace qgpu::cuda {

// Everything that one compile holds. The module lives in the context.
struct ParsedSource {
  std::unique_ptr<llvm::LLVMContext> context;
  Parsed parsed;
  std::vector<Warning> warnings;
};

// Parses, leaving out host declarations that do not compile, each with a warning. Makes the
// instance of a kernel template that the entry names, and those that host code launches; the latter
// are a courtesy, and if one does not compile, they are forgotten.
Expected<ParsedSource> parseForDevice(std::string_view text, std::string_view file_name,
                                      const CudaOptions& options);

// True for "k<int>": a name with template arguments.
bool isInstance(std::string_view name);

// The Refusal when the source lacks the entry, or has no kernel at all: lists what there is.
Failure noSuchKernel(std::string_view entry, std::string_view file_name, const Parsed& parsed);

}  // namespace qgpu::cuda
