#include "compiler/cuda/front_end_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string>

namespace qgpu::cuda {
namespace {

Expected<const FrontEnd*> load(const std::filesystem::path& path) {
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr)
    return refuse(fmt::format("the CUDA front end does not load: {}", dlerror()));
  void* symbol = dlsym(library, kFrontEndSymbol);
  if (symbol == nullptr)
    return refuse(fmt::format("{} is not a CUDA front end of this program", path.string()));
  return reinterpret_cast<const FrontEnd* (*)()>(symbol)();
}

Expected<const FrontEnd*> search() {
  std::error_code error;
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const std::array candidates = {folder / QGPU_CLANG_LIBRARY,
                                 folder / "../lib" / QGPU_CLANG_LIBRARY,
                                 std::filesystem::path(QGPU_CLANG_FOLDER) / QGPU_CLANG_LIBRARY};
  for (const std::filesystem::path& candidate : candidates)
    if (std::filesystem::exists(candidate, error)) return load(candidate);
  return refuse(fmt::format("the CUDA front end {} is not beside the program", QGPU_CLANG_LIBRARY),
                "install it in ../lib, or give PTX instead of CUDA");
}

}  // namespace

Expected<const FrontEnd*> frontEnd() {
  static const Expected<const FrontEnd*> loaded = search();
  return loaded;
}

}  // namespace qgpu::cuda
