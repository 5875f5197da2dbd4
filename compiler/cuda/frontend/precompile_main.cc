// Runs during the build: writes the precompiled prelude to the file named by the first argument,
// and the version of clang that it is for to the second.
#include <clang/Basic/Version.h>

#include <cstdio>

#include "compiler/cuda/frontend/prelude.h"
#include "interpreter/base/files.h"

int main(int count, char** arguments) {
  using namespace qgpu;
  if (count != 3) return 2;
  auto written = writeFileAtomically(arguments[1], cuda::buildPreludePch());
  if (written) written = writeFileAtomically(arguments[2], clang::getClangFullVersion());
  if (!written) std::fprintf(stderr, "%s\n", written.error().text().c_str());
  return written ? 0 : 1;
}
