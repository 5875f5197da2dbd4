#include "compiler/cuda/frontend/virtual_files.h"

#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <array>
#include <string>

namespace qgpu::cuda {
namespace {

// Headers whose content a source has anyway, from the prelude: these are found and are empty.
constexpr std::array kEmptyHeaders = std::to_array<std::string_view>({
    // C
    "errno.h",
    "fcntl.h",
    "float.h",
    "getopt.h",
    "inttypes.h",
    "limits.h",
    "locale.h",
    "malloc.h",
    "math.h",
    "memory.h",
    "pthread.h",
    "setjmp.h",
    "signal.h",
    "stdarg.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "strings.h",
    "time.h",
    "unistd.h",
    "sys/stat.h",
    "sys/time.h",
    "sys/types.h",
    "wchar.h",
    "windows.h",
    "omp.h",
    "mpi.h",
    // C in C++
    "cerrno",
    "cfloat",
    "cinttypes",
    "climits",
    "clocale",
    "cmath",
    "csignal",
    "cstdarg",
    "cstdbool",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "ctime",
    "cwchar",
    // C++
    "algorithm",
    "any",
    "array",
    "atomic",
    "bitset",
    "chrono",
    "complex",
    "concepts",
    "condition_variable",
    "deque",
    "exception",
    "execution",
    "filesystem",
    "fstream",
    "functional",
    "future",
    "initializer_list",
    "iomanip",
    "ios",
    "iosfwd",
    "iostream",
    "istream",
    "iterator",
    "limits",
    "list",
    "locale",
    "map",
    "memory",
    "mutex",
    "new",
    "numeric",
    "optional",
    "ostream",
    "queue",
    "random",
    "ratio",
    "regex",
    "set",
    "span",
    "sstream",
    "stack",
    "stdexcept",
    "streambuf",
    "string",
    "string_view",
    "system_error",
    "thread",
    "tuple",
    "type_traits",
    "typeindex",
    "typeinfo",
    "unordered_map",
    "unordered_set",
    "utility",
    "valarray",
    "variant",
    "vector",
    // CUDA
    "builtin_types.h",
    "cooperative_groups.h",
    "cooperative_groups/reduce.h",
    "cuda.h",
    "cuda_device_runtime_api.h",
    "cuda_profiler_api.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "cudaProfiler.h",
    "device_atomic_functions.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "device_types.h",
    "driver_types.h",
    "host_config.h",
    "host_defines.h",
    "math_constants.h",
    "math_functions.h",
    "nvtx3/nvToolsExt.h",
    "sm_20_atomic_functions.h",
    "sm_20_intrinsics.h",
    "sm_30_intrinsics.h",
    "sm_32_atomic_functions.h",
    "sm_32_intrinsics.h",
    "sm_35_atomic_functions.h",
    "sm_35_intrinsics.h",
    "sm_60_atomic_functions.h",
    "sm_61_intrinsics.h",
    "vector_functions.h",
    "vector_types.h",
    "nvrtc.h",
    "cuda/std/cstdint",
    "cuda/std/cstddef",
    "cuda/std/limits",
    "cuda/std/type_traits",
    "cuda/std/utility",
    "cuda/std/array",
    // helpers of NVIDIA's samples, which host code uses
    "exception.h",
    "helper_cuda.h",
    "helper_cuda_drvapi.h",
    "helper_functions.h",
    "helper_image.h",
    "helper_string.h",
    "nvrtc_helper.h",
});

// Two names for one text.
constexpr std::array<std::array<std::string_view, 2>, 3> kAliases = {{
    {"cassert", "assert.h"},
    {"cctype", "ctype.h"},
    {"cstring", "string.h"},
}};

constexpr std::string_view kIncludeFolder = "include/";

void add(llvm::vfs::InMemoryFileSystem& files, std::string_view folder, std::string_view name,
         std::string_view text) {
  const std::string path = std::string(folder) + std::string(name);
  files.addFileNoOwn(path, 0, llvm::MemoryBufferRef(llvm::StringRef(text), llvm::StringRef(path)));
}

std::string_view stubText(std::string_view name) {
  for (const EmbeddedFile& file : embeddedFiles())
    if (file.name.starts_with(kIncludeFolder) && file.name.substr(kIncludeFolder.size()) == name)
      return file.text;
  return {};
}

void addHeaders(llvm::vfs::InMemoryFileSystem& files) {
  for (const std::string_view name : kEmptyHeaders) add(files, kHeaderFolder, name, "");
  for (const EmbeddedFile& file : embeddedFiles())
    if (file.name.starts_with(kIncludeFolder))
      add(files, kHeaderFolder, file.name.substr(kIncludeFolder.size()), file.text);
  for (const auto& [alias, name] : kAliases) add(files, kHeaderFolder, alias, stubText(name));
}

void addPrelude(llvm::vfs::InMemoryFileSystem& files) {
  for (const EmbeddedFile& file : embeddedFiles())
    if (!file.name.starts_with(kIncludeFolder)) add(files, kPreludeFolder, file.name, file.text);
}

}  // namespace

std::string sourceName(std::string_view path, std::string_view file_name) {
  if (path == kSourceFile) return std::string(file_name);
  return path.starts_with(kSourceFolder) ? std::string(path.substr(kSourceFolder.size()))
                                         : std::string();
}

bool isHostHeader(std::string_view name) {
  constexpr auto kBeginnings = std::to_array<std::string_view>(
      {"EGL/",   "GL/",    "GLFW/",    "boost/",   "cub/",    "cublas", "cudaGL", "cudnn",
       "cufft",  "curand", "cusolver", "cusparse", "linux/",  "nccl",   "npp",    "nvToolsExt",
       "nvjpeg", "nvml",   "opencv",   "sys/",     "thrust/", "vulkan/"});
  return std::ranges::any_of(kBeginnings,
                             [&](std::string_view begin) { return name.starts_with(begin); });
}

llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> makeFiles(
    std::string_view source, std::span<const std::pair<std::string, std::string>> user_headers,
    std::string_view pch) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  add(*files, "", kSourceFile, source);
  // The precompiled header names its sources and wants to see them unchanged.
  addPrelude(*files);
  if (pch.empty()) return files;
  add(*files, "", kPreludePch, pch);
  addHeaders(*files);
  for (const auto& [name, text] : user_headers) add(*files, kSourceFolder, name, text);
  return files;
}

}  // namespace qgpu::cuda
