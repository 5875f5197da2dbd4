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

// LLVM names places as in "f32 = fsin 0x55e5, /qgpu.source/kernel.cu:58:44"; the first is the one.
Location locationIn(std::string_view reason) {
  const std::string mark = fmt::format(", {}:", kSourceFile);
  const std::size_t at = reason.find(mark);
  Location where;
  if (at == std::string_view::npos) return where;
  const std::string place(reason.substr(at + mark.size()));
  if (std::sscanf(place.c_str(), "%d:%d", &where.line, &where.column) != 2) return {};
  return where;
}

// "Cannot select: 0x55e4: f32 = fsin 0x55e5" names addresses, and the operation after "= ".
std::string readable(std::string_view reason) {
  constexpr std::string_view kSelect = "Cannot select: ";
  if (!reason.starts_with(kSelect)) return fmt::format("the compiler cannot go on: {}", reason);
  const std::size_t equals = reason.find(" = ");
  std::string_view operation = equals == std::string_view::npos ? "" : reason.substr(equals + 3);
  operation = operation.substr(0, operation.find_first_of("< ,\n"));
  return fmt::format("PTX for sm_75 has no instruction for this operation ({})", operation);
}

void onFatalError(void*, const char* reason, bool) {
  Failure refusal;
  refusal.location = locationIn(reason);
  refusal.message = readable(reason);
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
