// The ceilings that `qgpu bench` compares with, each by itself. `items_per_second` is the figure.
#include <benchmark/benchmark.h>

#include "tools/bench/ceilings.h"

namespace qgpu::bench {
namespace {

void repeat(benchmark::State& state, auto& kernel, std::size_t units) {
  for (auto unused : state) kernel.run();
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(units));
}

void ReadMemory(benchmark::State& state) {
  const MemoryRead kernel(static_cast<int>(state.range(0)), std::size_t{96} << 20);
  repeat(state, kernel, kernel.bytes());
}
BENCHMARK(ReadMemory)->Arg(1)->Arg(2)->UseRealTime();

void AddSparseColumns(benchmark::State& state) {
  SparseColumns kernel;
  repeat(state, kernel, kernel.nonzeros());
}
BENCHMARK(AddSparseColumns);

void AndRowsOfBits(benchmark::State& state) {
  BitRows kernel;
  repeat(state, kernel, kernel.nonzeros() * BitRows::kPositions);
}
BENCHMARK(AndRowsOfBits);

void InterpretPlainly(benchmark::State& state) {
  PlainInterpreter kernel;
  repeat(state, kernel, kernel.instructions());
}
BENCHMARK(InterpretPlainly);

void Hash(benchmark::State& state) {
  const Hashing kernel(std::size_t{4} << 20);
  repeat(state, kernel, kernel.bytes());
}
BENCHMARK(Hash);

}  // namespace
}  // namespace qgpu::bench
