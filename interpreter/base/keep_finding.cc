// Part of every fuzz target: a bug ends it with a signal, at which libFuzzer writes the input down.
// The exit of the programs would lose it.
#include <cstdio>
#include <cstdlib>

#include "interpreter/base/bug_reporter.h"
#include "interpreter/base/failure.h"

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  qgpu::setBugReporter([](const qgpu::Failure& bug) {
    std::fprintf(stderr, "%s\n", bug.text().c_str());
    std::abort();
  });
  return 0;
}
