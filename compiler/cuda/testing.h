// What the tests of the CUDA front end share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "compiler/cuda/compile.h"

namespace qgpu::cuda {

// The PTX of a source that must compile; the test fails with the refusal otherwise. In this
// process, because that is faster and what is compiled here is ours.
std::string ptxOf(std::string_view source, CudaOptions options = {});

// The refusal of a source that must not compile.
Failure refusalOf(std::string_view source, CudaOptions options = {});

// A kernel with parameters (int *p, unsigned *u, long long *l, int n) around statements.
std::string kernelAround(std::string_view statements);

int countOf(std::string_view text, std::string_view part);

// Runs ptxas -arch=sm_75. Empty when it accepts the text, else what it says.
std::string ptxasComplaint(std::string_view ptx);
bool havePtxas();

}  // namespace qgpu::cuda
