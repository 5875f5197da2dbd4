#include "compiler/lower/launch_shape.h"

#include <fmt/format.h>

#include "interpreter/isa/machine_parameters.h"

namespace qgpu::lower {

LaunchShape shapeOf(const launch::Launch& launch) {
  LaunchShape shape{launch.grid, launch.block, launch.shared_bytes, {}};
  for (const launch::Parameter& p : launch.parameters) {
    const auto alignment = p.kind == launch::ParameterKind::Struct
                               ? launch::layoutOf(p.fields).alignment
                               : launch::sizeOf(p.type);
    shape.parameters.push_back({p.name, p.kind, static_cast<std::uint32_t>(p.bytes.size()),
                                static_cast<std::uint32_t>(alignment)});
  }
  return shape;
}

namespace {

Expected<void> checkDimensions(const char* what, launch::Dim3 size) {
  if (size.x == 0 || size.y == 0 || size.z == 0)
    return refuse(fmt::format("the {} {} has a size of 0", what, size.text()),
                  "every size is at least 1");
  return {};
}

// At most the product of three 32-bit numbers, without overflow.
std::uint64_t countUpTo(launch::Dim3 size, std::uint64_t limit) {
  std::uint64_t count = 1;
  for (const std::uint32_t n : {size.x, size.y, size.z}) {
    count *= n;
    if (count > limit) return count;
  }
  return count;
}

}  // namespace

Expected<void> checkGeometry(const LaunchShape& shape) {
  for (const auto& [what, size] : {std::pair{"grid", shape.grid}, {"thread block", shape.block}})
    if (auto sound = checkDimensions(what, size); !sound) return sound;
  const auto block_limit = static_cast<std::uint64_t>(kMachine.blockThreads());
  const auto grid_limit = static_cast<std::uint64_t>(kMachine.thread_blocks);
  const std::uint64_t threads = countUpTo(shape.block, block_limit);
  if (threads > block_limit)
    return refuse(fmt::format("the thread block {} has more than {} threads", shape.block.text(),
                              block_limit),
                  fmt::format("launch more thread blocks of up to {} threads", block_limit));
  const std::uint64_t blocks = countUpTo(shape.grid, grid_limit);
  if (blocks > grid_limit)
    return refuse(
        fmt::format("the grid {} has more than {} thread blocks", shape.grid.text(), grid_limit),
        "give each thread more to do");
  if (blocks * threads > static_cast<std::uint64_t>(kMachine.launch_threads))
    return refuse(fmt::format("the launch has {} threads, the limit is {}", blocks * threads,
                              kMachine.launch_threads),
                  "give each thread more to do");
  return {};
}

}  // namespace qgpu::lower
