// What happens when a compile cannot go on: LLVM has met a fatal error, or a limit is passed in the
// middle of a phase that has no way back.
#pragma once

#include <string>

#include "interpreter/base/failure.h"

namespace qgpu::cuda {

// Called with the Refusal, whose place lacks the file's name; must not return. None (the default)
// means that the compile runs in a process that must live: a fatal error is then a Bug, and a limit
// is reported when the phase ends.
using StopHandler = void (*)(const Failure& refusal);
void setStopHandler(StopHandler handler);

// Leaves by the handler, if there is one.
void stop(const Failure& refusal);

// Takes over LLVM's ways to end the process. Once is enough; thread safe.
void installFatalErrorHandlers();

}  // namespace qgpu::cuda
