// Time from CUDA text to PTX text for one small kernel, once everything is warm.
#include <benchmark/benchmark.h>

#include <string_view>

#include "compiler/cuda/compile.h"

namespace qgpu::cuda {
namespace {

constexpr std::string_view kAdd =
    "__global__ void k(const int *a, const int *b, int *c, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) c[i] = a[i] + b[i];\n"
    "}\n";

constexpr std::string_view kReduce =
    "__global__ void k(const int *in, int *out, unsigned n) {\n"
    "  extern __shared__ int s[];\n"
    "  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
    "  s[t] = i < n ? in[i] : 0;\n"
    "  __syncthreads();\n"
    "  for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {\n"
    "    if (t < half) s[t] += s[t + half];\n"
    "    __syncthreads();\n"
    "  }\n"
    "  if (t == 0) atomicAdd(out, s[0]);\n"
    "}\n";

constexpr std::string_view kMatmul =
    "template <int n> __device__ int dot(const int *a, const int *b) {\n"
    "  int sum = 0;\n"
    "  for (int i = 0; i < n; ++i) sum += a[i] * b[i * n];\n"
    "  return sum;\n"
    "}\n"
    "__global__ void k(const int *a, const int *b, int *c) {\n"
    "  c[threadIdx.y * 4 + threadIdx.x] = dot<4>(a + threadIdx.y * 4, b + threadIdx.x);\n"
    "}\n";

void compile(benchmark::State& state, std::string_view source, Isolation isolation) {
  CudaOptions options;
  options.isolation = isolation;
  for (int i = 0; i < 3; ++i)
    if (!compileCuda(source, "k.cu", options)) state.SkipWithError("does not compile");
  std::size_t bytes = 0;
  for (auto _ : state) bytes = compileCuda(source, "k.cu", options)->text.size();
  state.counters["ptx_bytes"] = static_cast<double>(bytes);
}

BENCHMARK_CAPTURE(compile, add, kAdd, Isolation::None)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compile, reduce, kReduce, Isolation::None)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compile, matmul, kMatmul, Isolation::None)->Unit(benchmark::kMillisecond);
// The work is done by another process: real time counts.
BENCHMARK_CAPTURE(compile, add_isolated, kAdd, Isolation::Process)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(compile, matmul_isolated, kMatmul, Isolation::Process)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace qgpu::cuda
