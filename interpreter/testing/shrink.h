// Makes a failing launch small: fewer blocks, slots, operands, threads and inputs, the block rules
// kept.
//
//   MachineCase minimal = minimise(launch, [](const MachineCase& c) { return disagrees(c); });
//
// A smaller program may run for ever, so `fails` gives its executors a budget (kShrinkBudget will
// do) and treats two that are both out of budget as agreeing.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "interpreter/testing/machine_case.h"

namespace qgpu::isatest {

inline constexpr std::int64_t kShrinkBudget = 20'000;

// Launches one step smaller, the boldest steps first. Repeated, the steps come to an end.
std::vector<MachineCase> shrinks(const MachineCase& launch);

// Steps on for as long as some smaller launch fails.
MachineCase minimise(MachineCase launch, const std::function<bool(const MachineCase&)>& fails);

}  // namespace qgpu::isatest
