// Speed of the front end on the hand-written files: a kernel of 100 lines should take well under
// 0.2 ms.
#include <algorithm>
#include <filesystem>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "compiler/ptx/ptx.h"
#include "interpreter/base/files.h"

namespace qgpu::ptx {
namespace {

std::string text(const char* name) {
  auto content = readFile(std::filesystem::path(QGPU_SOURCE_DIR) / "compiler/ptx/testdata" / name);
  check(content.has_value(), "the benchmark's file is there");
  return *content;
}

void parseFile(benchmark::State& state, const char* name) {
  const std::string source = text(name);
  const auto lines = std::count(source.begin(), source.end(), '\n');
  for (auto _ : state) benchmark::DoNotOptimize(parse(source, name));
  state.counters["lines"] = static_cast<double>(lines);
  state.counters["lines/s"] =
      benchmark::Counter(static_cast<double>(lines) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(parseFile, arithmetic, "arithmetic.ptx")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(parseFile, barriers, "barriers.ptx")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(parseFile, memory, "memory.ptx")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(parseFile, scopes, "scopes.ptx")->Unit(benchmark::kMicrosecond);

void printFile(benchmark::State& state) {
  const auto module = parse(text("arithmetic.ptx"), "arithmetic.ptx");
  check(module.has_value(), "the benchmark's file parses");
  for (auto _ : state) benchmark::DoNotOptimize(print(*module));
}
BENCHMARK(printFile)->Unit(benchmark::kMicrosecond);

// Time must grow with the text and no faster.
void parseLong(benchmark::State& state) {
  std::string source = ".version 8.0 .target sm_90 .entry k() { .reg .b32 %r<1000>;\n";
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    source += fmt::format("L{0}: add.u32 %r{1}, %r1, 1; bra L{0};\n", i, i % 1000);
  }
  source += "}";
  for (auto _ : state) benchmark::DoNotOptimize(parse(source, "long.ptx"));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(parseLong)
    ->RangeMultiplier(8)
    ->Range(64, 32768)
    ->Unit(benchmark::kMicrosecond)
    ->Complexity();

}  // namespace
}  // namespace qgpu::ptx
