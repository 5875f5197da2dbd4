// clang's CompilerInstance, set up for CUDA device code on a file system in memory.
#pragma once

#include <clang/Frontend/CompilerInstance.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <memory>
#include <span>
#include <string>

namespace qgpu::cuda {

// An instance that compiles `main_file`. Adds `arguments` (of clang -cc1) to those that fix the
// language, the target and clang's own limits. Messages go to `messages`, which must outlive it.
std::unique_ptr<clang::CompilerInstance> makeInstance(
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files, clang::DiagnosticConsumer& messages,
    std::span<const std::string> arguments);

}  // namespace qgpu::cuda
