// The only file system that the compiler sees: the prelude, the stub headers and the user's text,
// all in memory.
#pragma once

#include <llvm/ADT/IntrusiveRefCntPtr.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <span>
#include <string>
#include <string_view>

#include "compiler/cuda/compile.h"

namespace qgpu::cuda {

// A file of compiler/cuda/prelude, by its path in there.
struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};
std::span<const EmbeddedFile> embeddedFiles();  // made by CMake

// Folders have names that no source would guess, so that user text and ours do not meet.
inline constexpr std::string_view kPreludeFolder = "/qgpu.prelude/";
inline constexpr std::string_view kHeaderFolder = "/qgpu.headers/";
inline constexpr std::string_view kSourceFolder = "/qgpu.source/";
inline constexpr std::string_view kPreludeFile = "/qgpu.prelude/prelude.h";
inline constexpr std::string_view kPreludePch = "/qgpu.prelude/prelude.pch";
inline constexpr std::string_view kSourceFile = "/qgpu.source/kernel.cu";

// The name under which the user knows a file of the compile; empty for a file of ours.
std::string sourceName(std::string_view path, std::string_view file_name);

// True for headers of libraries that a kernel cannot use but host code around it may (cuBLAS,
// Thrust, OpenGL ...): nothing is lost when such an #include is passed over.
bool isHostHeader(std::string_view name);

// The files of one compile. `source` and `pch` must outlive it; without `pch` only the prelude and
// the source are there, which is what building the precompiled header needs.
llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> makeFiles(
    std::string_view source, std::span<const std::pair<std::string, std::string>> user_headers,
    std::string_view pch);

}  // namespace qgpu::cuda
