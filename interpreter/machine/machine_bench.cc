// How fast the machine is on one core: warp-instructions a second without tokens, tokens a second
// with them, random programs a second. `items_per_second` is the figure.
#include <benchmark/benchmark.h>

#include "interpreter/isa/assembly.h"
#include "interpreter/machine/fast.h"
#include "interpreter/machine/machine.h"
#include "interpreter/testing/generate.h"

namespace qgpu::machine {
namespace {

// A loop of four arithmetic instructions a block.
constexpr const char* kArithmetic = R"(
block 0:
  mov r1!, 5000
  mov r2!, tid
  jump 1
block 1:
  mad r2!, r2, 1103, tid
  xor _, s1, 21845
  add r3!, s2, r3
  sub.ne r1!, r1, 1
  branch s4, 1, 2
block 2:
  st [global 4 + tid*4], r3
  exit
)";

// A load with a multiplication and a store in each round.
constexpr const char* kMemory = R"(
block 0:
  mov r1!, 5000
  jump 1
block 1:
  and _, r1, 15
  mad r3!, s1, [global 4 + s1*4], r3
  st [global 128 + tid*4], s2
  sub.ne r1!, r1, 1
  branch s4, 1, 2
block 2:
  st [global 4 + tid*4], r3
  exit
)";

// Conflicting additions and a shuffle in each round.
constexpr const char* kAtomics = R"(
block 0:
  mov r1!, 5000
  jump 1
block 1:
  and _, r1, 3
  atom.add _, [global 4 + s1*4], r1
  shfl.xor r3!, r3, 1, 3:0
  sub.ne r1!, r1, 1
  branch s4, 1, 2
block 2:
  exit
)";

// Lanes part and meet in each round, and warps meet at a barrier.
constexpr const char* kDivergence = R"(
block 0:
  mov r1!, 2000
  jump 1
block 1:
  and _, tid, 1
  xor _, s1, r1
  and _, s2, 1
  setp.ne p0, s3, 0
  branch s4, 2, 3
block 2:
  add r2!, r2, tid
  mad r3!, r2, 3, r3
  jump 3
block 3:
  sub.ne r1!, r1, 1
  setp.eq p1!, s1, 0
  bar 4
block 4:
  branch p1, 5, 1
block 5:
  exit
)";

struct Kernel {
  isa::Program program;
  protocol::Image image;
};
Kernel kernelOf(const char* text, std::int64_t threads) {
  Kernel kernel{*isa::assemble(text, "bench"), {}};
  kernel.image = {.program = protocol::encode(kernel.program),
                  .thread_blocks = 1,
                  .threads = static_cast<int>(threads)};
  return kernel;
}

void warpInstructions(benchmark::State& state, const char* text) {
  const Kernel kernel = kernelOf(text, state.range(0));
  std::int64_t instructions = 0;
  for (auto unused : state) {
    const auto run = runFast(kernel.program, kernel.image, 100'000'000);
    instructions += run->warp_instructions;
    benchmark::DoNotOptimize(run->global);
  }
  state.SetItemsProcessed(instructions);
}
BENCHMARK_CAPTURE(warpInstructions, arithmetic, kArithmetic)->Arg(4)->Arg(32);
BENCHMARK_CAPTURE(warpInstructions, memory, kMemory)->Arg(4)->Arg(32);
BENCHMARK_CAPTURE(warpInstructions, atomics, kAtomics)->Arg(4)->Arg(32);
BENCHMARK_CAPTURE(warpInstructions, divergence, kDivergence)->Arg(32);

void tokens(benchmark::State& state, const char* text) {
  const Kernel kernel = kernelOf(text, state.range(0));
  const std::vector<protocol::Token> host = protocol::hostTokens(kernel.image);
  std::int64_t written = 0;
  for (auto unused : state) {
    Machine machine;
    for (const protocol::Token& token : host) (void)machine.step(token);
    while (const auto next = machine.next()) {
      (void)machine.step(*next);
      ++written;
    }
  }
  state.SetItemsProcessed(written);
}
BENCHMARK_CAPTURE(tokens, arithmetic, kArithmetic)->Arg(4)->Arg(32);
BENCHMARK_CAPTURE(tokens, memory, kMemory)->Arg(4)->Arg(32);
BENCHMARK_CAPTURE(tokens, divergence, kDivergence)->Arg(32);

// Made and run without tokens.
void randomPrograms(benchmark::State& state) {
  std::uint64_t seed = 0;
  for (auto unused : state) {
    const isatest::MachineCase launch = isatest::generateCase(seed++);
    benchmark::DoNotOptimize(runFast(launch.program, launch.image(), isatest::kGeneratedBudget));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(randomPrograms);

}  // namespace
}  // namespace qgpu::machine
