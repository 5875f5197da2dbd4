// What a kernel must leave in its first array, under every set of options of optionSets().
//
//   expectFor(launch, [](std::uint32_t t) { return 2 * t; });   // word t, of each thread of a
//   block expectFirst(launch, {7, 8, 9});
#pragma once

#include <functional>

#include "compiler/lower/testing/run_kernel.h"

namespace qgpu::lower::testing {

void expectFirst(const PtxLaunch& launch, const Words& expected);
void expectFor(const PtxLaunch& launch, const std::function<std::uint32_t(std::uint32_t)>& result);

}  // namespace qgpu::lower::testing
