#include "compiler/cuda/frontend/stop.h"

#include <fmt/format.h>
#include <llvm/Support/ErrorHandling.h>

#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

#include "compiler/cuda/frontend/virtual_files.h"

namespace qgpu::cuda {
namespace {

StopHandler stop_handler = nullptr;

// LLVM ends some of its messages with ", /qgpu.source/kernel.cu:58:44".
Location locationIn(std::string_view reason) {
  const std::string mark = fmt::format(", {}:", kSourceFile);
  const std::size_t at = reason.rfind(mark);
  Location where;
  if (at == std::string_view::npos) return where;
  const std::string place(reason.substr(at + mark.size()));
  if (std::sscanf(place.c_str(), "%d:%d", &where.line, &where.column) != 2) return {};
  return where;
}

void onFatalError(void*, const char* reason, bool) {
  Failure refusal;
  refusal.location = locationIn(reason);
  refusal.message = fmt::format("the compiler cannot go on: {}", reason);
  refusal.hint = "write this part of the source in a plainer way";
  stop(refusal);
  bug(reason);
}

}  // namespace

void setStopHandler(StopHandler handler) { stop_handler = handler; }

void stop(const Failure& refusal) {
  if (stop_handler != nullptr) stop_handler(refusal);
}

void installFatalErrorHandlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_fatal_error_handler(onFatalError);
    llvm::install_bad_alloc_error_handler(onFatalError);
  });
}

}  // namespace qgpu::cuda
