#include "tools/bench/kernels.h"

#include "interpreter/machine/fast.h"
#include "interpreter/machine/machine.h"

namespace qgpu::bench {
namespace {

using launch::arrayOf;
using launch::scalarOf;

// [3][16] times [16][4]: nearly all of 126 words.
constexpr const char* kMatmul = R"(
__global__ void matmul(const int* a, const int* b, int* c) {
  int row = blockIdx.x, column = threadIdx.x, sum = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) sum += a[row * 16 + k] * b[k * 4 + column];
  c[row * 4 + column] = sum;
}
)";

constexpr const char* kSaxpy = R"(
__global__ void saxpy(int n, int a, const int* x, int* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
)";

constexpr const char* kCollatz = R"(
__global__ void collatz(const int* start, int* steps, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  int x = start[i], count = 0;
  while (x != 1) {
    x = x & 1 ? 3 * x + 1 : x >> 1;
    ++count;
  }
  steps[i] = count;
}
)";

constexpr const char* kBitonic = R"(
__global__ void bitonic(int* values) {
  __shared__ int s[32];
  int i = threadIdx.x;
  s[i] = values[i];
  for (int k = 2; k <= 32; k <<= 1)
    for (int j = k >> 1; j > 0; j >>= 1) {
      __syncthreads();
      int other = i ^ j;
      if (other > i) {
        int a = s[i], b = s[other];
        if ((a > b) == ((i & k) == 0)) {
          s[i] = b;
          s[other] = a;
        }
      }
    }
  __syncthreads();
  values[i] = s[i];
}
)";

constexpr const char* kSumOfSquares = R"(
__global__ void squares(int* out, int rounds) {
  int sum = threadIdx.x;
  for (int i = 1; i <= rounds; ++i) sum += i * i;
  out[blockIdx.x] = sum;
}
)";

// 1, 4, 7 ... modulo something: nothing that is special.
std::vector<std::int64_t> numbers(std::size_t count, std::int64_t modulus) {
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back((static_cast<std::int64_t>(i) * 37 + 11) % modulus);
  return values;
}

BenchKernel compiled(std::string name, std::string what, const char* text,
                     const launch::Launch& launch) {
  Source source{.text = text, .file_name = name + ".cu"};
  const auto kernel = loadKernel(source);
  check(kernel.has_value(), "the benchmark's kernel is one");
  auto program = compile(*kernel, launch);
  check(program.has_value(), "the benchmark's kernel fits");
  BenchKernel result{.name = std::move(name),
                     .what = std::move(what),
                     .source = std::move(source),
                     .program = std::move(*program),
                     .host = {},
                     .written = {}};
  result.host = protocol::hostTokens(result.program.image);
  machine::Machine machine;
  auto run = machine::launch(machine, result.host, kMostTokens);
  check(run.has_value(), "the benchmark's launch ends");
  result.written = std::move(run->written);
  const auto fast =
      machine::runFast(result.program.lowered.program, result.program.image, kMostTokens);
  check(fast.has_value(), "the benchmark's launch ends");
  result.lane_instructions = fast->lane_instructions;
  return result;
}

launch::Launch shape(std::uint32_t grid, std::uint32_t block,
                     std::vector<launch::Parameter> parameters) {
  launch::Launch launch;
  launch.grid = {grid, 1, 1};
  launch.block = {block, 1, 1};
  launch.parameters = std::move(parameters);
  return launch;
}

}  // namespace

std::vector<protocol::Token> BenchKernel::trace() const {
  std::vector<protocol::Token> all = host;
  all.insert(all.end(), written.begin(), written.end());
  return all;
}

std::vector<BenchKernel> benchKernels() {
  std::vector<BenchKernel> kernels;
  kernels.push_back(compiled("matmul", "3 x 16 by 16 x 4", kMatmul,
                             shape(3, 4,
                                   {arrayOf("a", numbers(48, 6)), arrayOf("b", numbers(64, 5)),
                                    arrayOf("c", numbers(12, 1))})));
  kernels.push_back(
      compiled("saxpy", "y = a x + y over 60 words", kSaxpy,
               shape(2, 32,
                     {scalarOf("n", 60), scalarOf("a", 7), arrayOf("x", numbers(60, 101)),
                      arrayOf("y", numbers(60, 103))})));
  kernels.push_back(compiled("collatz", "32 threads that diverge in a loop", kCollatz,
                             shape(1, 32,
                                   {arrayOf("start", numbers(32, 1009)),
                                    arrayOf("steps", numbers(32, 1)), scalarOf("n", 32)})));
  kernels.push_back(compiled("bitonic", "32 words sorted in shared memory", kBitonic,
                             shape(1, 32, {arrayOf("values", numbers(32, 1009))})));
  return kernels;
}

BenchKernel sumOfSquares(int thread_blocks, int threads) {
  return compiled(
      "squares", "a loop in every thread", kSumOfSquares,
      shape(static_cast<std::uint32_t>(thread_blocks), static_cast<std::uint32_t>(threads),
            {arrayOf("out", numbers(32, 1)), scalarOf("rounds", 10)}));
}

}  // namespace qgpu::bench
