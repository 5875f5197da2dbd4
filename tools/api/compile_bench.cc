// From CUDA text to machine blocks, in process: what a user waits for before a launch.
#include <benchmark/benchmark.h>

#include "compiler/launch/case_file.h"
#include "tools/api/qgpu.h"

namespace qgpu {
namespace {

launch::Case caseNamed(std::string_view name) {
  auto found = launch::readCase(std::string(QGPU_SOURCE_DIR "/conformance/cases/") +
                                std::string(name) + ".json");
  check(found.has_value(), "the benchmark's case is there");
  return std::move(*found);
}

void CudaToBlocks(benchmark::State& state, std::string_view name) {
  const launch::Case test_case = caseNamed(name);
  const auto source = readSource(test_case.launch.kernel);
  check(source.has_value(), "the benchmark's kernel can be read");
  for (auto _ : state) {
    const auto kernel = loadKernel(*source, test_case.launch.entry);
    check(kernel.has_value(), "the benchmark's kernel is taken");
    const auto program = compile(*kernel, test_case.launch);
    check(program.has_value(), "the benchmark's kernel fits");
    benchmark::DoNotOptimize(program->lowered.report.blocks);
  }
}
BENCHMARK_CAPTURE(CudaToBlocks, dot, "dot")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(CudaToBlocks, gcd, "gcd")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(CudaToBlocks, bitonic_sort, "bitonic_sort_16")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace qgpu
