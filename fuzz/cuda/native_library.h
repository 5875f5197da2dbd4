// Kernels as a shared library on disk; a part of native_batch.cc.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "fuzz/cuda/native_batch.h"

namespace qgpu::fuzz::cuda {

// A folder that is gone when this is.
class TemporaryFolder {
 public:
  static Expected<TemporaryFolder> make();
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// What the library offers for the kernel of a number: void ENTRY(void *const *arguments).
std::string entryOf(std::uint64_t number);
// A function of the library that uses its thread-local memory: const void *NAME().
inline constexpr const char* kTouchShared = "qgpuTouchShared";

// Compiles the kernels into FOLDER/kernels.so and gives its path.
Expected<std::filesystem::path> buildLibrary(std::span<const GeneratedKernel> kernels,
                                             const NativeOptions& options,
                                             const std::filesystem::path& folder);

}  // namespace qgpu::fuzz::cuda
