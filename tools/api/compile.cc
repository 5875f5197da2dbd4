#include "tools/api/advice.h"
#include "tools/api/memory.h"
#include "tools/api/qgpu.h"

namespace qgpu {

Expected<Program> compile(const Kernel& kernel, const launch::Launch& launch,
                          const lower::Options& options) {
  auto bound = bindLaunch(kernel, launch);
  if (!bound) return fail(std::move(bound.error()));
  auto lowered =
      lower::lowerKernel(kernel.module, kernel.entry, lower::shapeOf(*bound), options, kernel.name);
  if (!lowered) return fail(std::move(lowered.error()));
  protocol::Image image = imageOf(*bound, *lowered);
  std::vector<std::string> warnings = adviceOn(kernel, *bound, *lowered);
  return Program{std::move(*bound), std::move(*lowered), std::move(image), kernel.name,
                 std::move(warnings)};
}

}  // namespace qgpu
