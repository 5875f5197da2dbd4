// Kernels as a shared library on disk; a part of native_batch.cc.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "fuzz/cuda/native_batch.h"

namespace qgpu::fuzz::cuda {

// What the library offers for the kernel of a number: void ENTRY(void *const *arguments).
std::string entryOf(std::uint64_t number);
// A function of the library that uses its thread-local memory: const void *NAME().
inline constexpr const char* kTouchShared = "qgpuTouchShared";

// Compiles the kernels into FOLDER/kernels.so and gives its path.
Expected<std::filesystem::path> buildLibrary(std::span<const GeneratedKernel> kernels,
                                             const NativeOptions& options,
                                             const std::filesystem::path& folder);

}  // namespace qgpu::fuzz::cuda
