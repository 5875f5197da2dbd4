// The CUDA kernels that speed is measured on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/api/qgpu.h"

namespace qgpu::bench {

// More than any launch here has.
inline constexpr std::int64_t kMostTokens = 10'000'000;

// A kernel with a launch, compiled.
struct BenchKernel {
  std::string name;  // "matmul"
  std::string what;  // in a line, for people
  Source source;
  Program program;
  std::vector<protocol::Token> host;     // the host's tokens
  std::vector<protocol::Token> written;  // and those of the interpreter
  // Instructions that the launch retires, one for each lane of the mask.
  std::int64_t lane_instructions = 0;

  std::vector<protocol::Token> trace() const;
  std::size_t tokens() const { return host.size() + written.size(); }
};

// A matrix product first, which is what a GPU is measured by; then loops, divergence, barriers.
std::vector<BenchKernel> benchKernels();

// That source on `thread_blocks` blocks of `threads` threads, for tables over shapes.
BenchKernel sumOfSquares(int thread_blocks, int threads);

}  // namespace qgpu::bench
