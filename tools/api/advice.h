// Warnings about a program that is legal and hardly what its author meant: it runs as CUDA says it
// does, on a machine that is not the one it was written for.
//
//   sum.cu:4:53: warning: a shuffle reaches 16 lanes far and a warp has 4: lanes get their own
//   value back; count from warpSize / 2
//   rev.cu: warning: s has no memory: the launch gives 0 bytes of dynamic shared memory; give its
//   size with --shared
#pragma once

#include <string>
#include <vector>

#include "compiler/lower/lower.h"
#include "tools/api/kernel.h"

namespace qgpu {

// Whole lines, each place at most once.
std::vector<std::string> adviceOn(const Kernel& kernel, const launch::Launch& launch,
                                  const lower::Lowered& lowered);

}  // namespace qgpu
