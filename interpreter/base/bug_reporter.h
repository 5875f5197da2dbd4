// How a Bug is told before it ends the process: by default as a line on standard error.
//
//   setBugReporter([](const Failure& bug) { std::puts(toJson(bug).c_str()); });
#pragma once

#include "interpreter/base/failure.h"

namespace qgpu {

// For a program that owes its caller another form. Set it before threads start; it may be called on
// any of them, and the process ends when it returns.
using BugReporter = void (*)(const Failure& bug);
void setBugReporter(BugReporter reporter);

}  // namespace qgpu
