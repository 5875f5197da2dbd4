// The level of random CUDA kernels: clang, the lowering, the interpreter and the model against the
// C++ compiler of this computer. judge.h says how.
#pragma once

#include <memory>

#include "fuzz/cuda/judge.h"
#include "fuzz/level.h"

namespace qgpu::fuzz {

// A finding comes with NAME.cu and NAME.json, a case as conformance/ holds them
// (conformance/README.md).
std::unique_ptr<Level> cudaLevel(Oracle oracle, const ModelUse& model);
// The same with a judge of one's own, for tests.
std::unique_ptr<Level> cudaLevel(cuda::Judge judge);

}  // namespace qgpu::fuzz
