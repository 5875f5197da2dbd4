#include "compiler/cuda/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include "compiler/cuda/compile_server.h"
#include "compiler/cuda/front_end_library.h"

namespace qgpu::cuda {
namespace {

bool isIdentifierCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// "NAME", "NAME=VALUE" or "NAME(ARGUMENTS)=VALUE", on one line.
bool isDefine(std::string_view text) {
  const std::string_view name = text.substr(0, text.find_first_of("=("));
  return !name.empty() && (name[0] < '0' || name[0] > '9') &&
         std::ranges::all_of(name, isIdentifierCharacter) &&
         text.find_first_of(std::string_view("\n\r\0", 3)) == std::string_view::npos;
}

// A name that an #include can give, and no way out of the folder of the user's headers.
bool isHeaderName(std::string_view name) {
  return !name.empty() && name[0] != '/' && name.find("..") == std::string_view::npos &&
         std::ranges::all_of(name, [](char c) {
           return isIdentifierCharacter(c) || c == '.' || c == '-' || c == '+' || c == '/';
         });
}

Expected<void> checkOptions(std::string_view source, std::string_view file_name,
                            const CudaOptions& options) {
  const Location file{std::string(file_name)};
  if (source.size() > options.limits.source_bytes)
    return refuseAt(file,
                    fmt::format("the source has {} bytes, more than the limit of {}", source.size(),
                                options.limits.source_bytes),
                    "keep the kernel and what it needs");
  if (options.opt_level < 0 || options.opt_level > 3)
    return refuse(fmt::format("optimisation level {} does not exist", options.opt_level),
                  "use 0 to 3");
  if (options.warp_size < 1 || options.warp_size > 32)
    return refuse(fmt::format("a warp cannot have {} lanes", options.warp_size), "use 1 to 32");
  for (const std::string& define : options.defines)
    if (!isDefine(define))
      return refuse(fmt::format("'{}' does not define a macro", define),
                    "write NAME or NAME=VALUE");
  for (const auto& [name, text] : options.headers)
    if (!isHeaderName(name))
      return refuse(fmt::format("'{}' is no name for a header", name), "write NAME.h");
  return {};
}

}  // namespace

std::string Warning::text() const {
  const std::string where = location.text();
  return fmt::format("{}{}warning: {}", where, where.empty() ? "" : ": ", message);
}

Expected<CompiledPtx> compileCuda(std::string_view source, std::string_view file_name,
                                  const CudaOptions& options) {
  if (auto good = checkOptions(source, file_name, options); !good) return fail(good.error());
  if (options.isolation == Isolation::Process) return compileInChild(source, file_name, options);
  const auto front_end = frontEnd();
  if (!front_end) return fail(front_end.error());
  const std::shared_lock compiling(compilingHere());
  return (*front_end)->compile(source, file_name, options);
}

}  // namespace qgpu::cuda
