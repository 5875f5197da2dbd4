// What a kernel must leave in its first array, under every set of options of optionSets().
//
//   expectFirst(launch, {7, 8, 9});
//   expectFor(launch, [](std::uint32_t t) { return 2 * t; });   // word t, for each thread
//   expectFor(perThread("add.u32 %a9, %a0, 5;"), [](std::uint32_t t) { return t + 5; });
#pragma once

#include <functional>
#include <string_view>

#include "compiler/lower/testing/run_kernel.h"

namespace qgpu::lower::testing {

// A block of three warps. Thread t finds its number in %a0, an address of word t in %w1 and 7 in
// %a9, and leaves %a9 in word t.
inline constexpr std::uint32_t kThreads = 12;
PtxLaunch perThread(std::string_view body);

void expectFirst(const PtxLaunch& launch, const Words& expected);
void expectFor(const PtxLaunch& launch, const std::function<std::uint32_t(std::uint32_t)>& result);

}  // namespace qgpu::lower::testing
