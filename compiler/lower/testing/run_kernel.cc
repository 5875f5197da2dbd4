#include "compiler/lower/testing/run_kernel.h"

#include <fmt/format.h>

#include "compiler/ptx/ptx.h"
#include "interpreter/machine/machine.h"
#include "interpreter/protocol/prompt.h"

namespace qgpu::lower::testing {
namespace {

constexpr std::int64_t kMostTokens = 300'000;
constexpr std::uint32_t kWordBytes = 4;

LaunchShape shapeOf(const PtxLaunch& launch) {
  LaunchShape shape;
  shape.grid = launch.grid;
  shape.block = launch.block;
  for (const Words& array : launch.arrays)
    shape.parameters.push_back(arrayShape(fmt::format("p{}", shape.parameters.size()),
                                          kWordBytes * static_cast<std::uint32_t>(array.size())));
  for (std::size_t n = 0; n < launch.scalars.size(); ++n)
    shape.parameters.push_back(scalarShape(fmt::format("n{}", n)));
  return shape;
}

const Object* objectOf(const Lowered& lowered, std::size_t parameter) {
  const int index = lowered.placement.parameter_objects[parameter];
  return index < 0 ? nullptr : &lowered.placement.objects[static_cast<std::size_t>(index)];
}

protocol::Image imageOf(const PtxLaunch& launch, const Lowered& lowered) {
  protocol::Image image{.program = protocol::encode(lowered.program)};
  for (const ParameterWord& w : lowered.parameters) {
    std::uint32_t value = w.value;
    const auto parameter = static_cast<std::size_t>(w.parameter);
    if (!w.is_constant && parameter >= launch.arrays.size())
      value = w.offset == 0 ? launch.scalars[parameter - launch.arrays.size()] : 0;
    else if (!w.is_constant)
      value = w.offset == 0 ? objectOf(lowered, parameter)->address : 0;
    image.parameters.push_back(value);
  }
  for (std::size_t a = 0; a < launch.arrays.size(); ++a)
    if (const Object* object = objectOf(lowered, a))
      for (std::size_t i = 0; i < launch.arrays[a].size(); ++i)
        image.memory.push_back(
            {static_cast<int>(object->address / kWordBytes + i), launch.arrays[a][i]});
  for (const InitialWord& w : lowered.placement.initial) image.memory.push_back({w.word, w.value});
  image.thread_blocks = static_cast<int>(launch.grid.count());
  image.threads = static_cast<int>(launch.block.count());
  return image;
}

}  // namespace

std::string kernelText(int arrays, int scalars, std::string_view body) {
  std::string parameters, loads;
  for (int a = 0; a < arrays; ++a) {
    parameters += fmt::format("{}.param .u64 .ptr .global .align 4 p{}", a == 0 ? "" : ", ", a);
    loads += fmt::format("ld.param.u64 %p{0}, [p{0}];\n", a);
  }
  for (int n = 0; n < scalars; ++n) {
    parameters += fmt::format("{}.param .u32 n{}", parameters.empty() ? "" : ", ", n);
    loads += fmt::format("ld.param.u32 %n{0}, [n{0}];\n", n);
  }
  return fmt::format(
      ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k({})\n{{\n"
      ".reg .b32 %a<40>;\n.reg .b32 %n<8>;\n.reg .b64 %w<40>;\n.reg .b64 %p<8>;\n"
      ".reg .pred %q<40>;\n{}{}\nret;\n}}\n",
      parameters, loads, body);
}

Expected<Lowered> lowerPtx(const PtxLaunch& launch, const Options& options) {
  const auto module = ptx::parse(launch.ptx, "k.ptx");
  if (!module) return fail(module.error());
  return lowerKernel(*module, "k", shapeOf(launch), options);
}

Expected<std::vector<Words>> runPtx(const PtxLaunch& launch, const Options& options) {
  const auto lowered = lowerPtx(launch, options);
  if (!lowered) return fail(lowered.error());
  machine::Machine machine;
  const auto result =
      machine::launch(machine, protocol::hostTokens(imageOf(launch, *lowered)), kMostTokens);
  if (!result) return fail(result.error());
  std::vector<Words> arrays = launch.arrays;
  for (std::size_t a = 0; a < arrays.size(); ++a)
    if (const Object* object = objectOf(*lowered, a))
      for (std::size_t i = 0; i < arrays[a].size(); ++i)
        arrays[a][i] = machine.state().global[object->address / kWordBytes + i];
  return arrays;
}

std::vector<NamedOptions> optionSets() {
  constexpr std::pair<std::string_view, bool Options::*> kSwitches[] = {
      {"simplify", &Options::simplify},     {"thread_jumps", &Options::thread_jumps},
      {"if_convert", &Options::if_convert}, {"guard_exits", &Options::guard_exits},
      {"combine", &Options::combine},       {"fuse_memory", &Options::fuse_memory},
      {"forward", &Options::forward},       {"rematerialise", &Options::rematerialise},
      {"spill", &Options::spill},
  };
  std::vector<NamedOptions> sets = {{"all", {}}, {"none", Options::none()}};
  for (const auto& [name, field] : kSwitches) {
    NamedOptions off{fmt::format("without {}", name), {}};
    NamedOptions on{fmt::format("only {}", name), Options::none()};
    off.options.*field = false;
    on.options.*field = true;
    sets.push_back(off);
    sets.push_back(on);
  }
  NamedOptions few{"few registers", {}};
  few.options.registers = kFewRegisters;
  sets.push_back(few);
  return sets;
}

}  // namespace qgpu::lower::testing
