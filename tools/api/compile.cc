#include "tools/api/memory.h"
#include "tools/api/qgpu.h"

namespace qgpu {

Expected<Program> compile(const Kernel& kernel, const launch::Launch& launch,
                          const lower::Options& options) {
  auto bound = bindLaunch(kernel, launch);
  if (!bound) return fail(std::move(bound.error()));
  auto lowered = lower::lowerKernel(kernel.module, kernel.entry, lower::shapeOf(*bound), options);
  if (!lowered) return fail(std::move(lowered.error()));
  Program program{.launch = std::move(*bound),
                  .lowered = std::move(*lowered),
                  .image = {},
                  .kernel = kernel.name};
  program.image = imageOf(program.launch, program.lowered);
  return program;
}

}  // namespace qgpu
