#include "compiler/cuda/frontend/stop.h"

#include <fmt/format.h>
#include <llvm/Support/ErrorHandling.h>

#include <mutex>

namespace qgpu::cuda {
namespace {

StopHandler stop_handler = nullptr;

void onFatalError(void*, const char* reason, bool) {
  stop({FailureKind::Refusal,
        {},
        fmt::format("the compiler cannot go on: {}", reason),
        "write this part of the source in a plainer way"});
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
