// How many launches of each level fuzz_launch makes, runs and compares in a second of one core,
// with the interpreter as the engine: `items_per_second`.
//
// The time is processor time of this thread and of the processes it starts: most of the work of the
// level `cuda` is that of compilers, and all of both levels of kernels is done in processes apart.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "fuzz/chunk.h"
#include "fuzz/levels.h"

namespace qgpu::fuzz {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double processorSeconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    sum += seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  return sum;
}

constexpr std::int64_t kLaunches = 256;  // as many as a campaign hands out at once

void launches(benchmark::State& state, const NamedLevel& named) {
  const auto level = named.make({.engine = "interpreter"});
  Range range{1, kLaunches};
  for (auto unused : state) {
    const double begin = processorSeconds();
    if (!runChunk(*level, range, {}).findings.empty()) state.SkipWithError("engines differ");
    state.SetIterationTime(processorSeconds() - begin);
    range.first = range.end();  // others the next time
  }
  state.SetItemsProcessed(state.iterations() * kLaunches);
  state.SetLabel(named.what);
}

const bool kRegistered = [] {
  for (const NamedLevel& level : levels())
    benchmark::RegisterBenchmark(level.name, launches, level)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace qgpu::fuzz
