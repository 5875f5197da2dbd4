// Random programs of the machine that are valid and always end, with inputs.
//
//   MachineCase launch = generateCase(seed);            // the same on every platform
//   isa::violations(launch.program).empty();            // always
//   runPlain(launch, kGeneratedBudget).ending;          // never OutOfBudget
//
// They end by construction. Branches go forward, except from a loop's last block to its first,
// which counts a register of the loop's own down; a loop is entered only through the block before
// it, which sets the counter to at most 3. So each thread has a bounded path, whatever the data
// are. Barriers stand anywhere, divergent code included: the machine defines what they do there.
//
// Most memory operands are inside their space by construction; a few are wild, and then often trap.
#pragma once

#include <cstdint>

#include "interpreter/testing/machine_case.h"

namespace qgpu::isatest {

// Block executions that no generated launch needs.
inline constexpr std::int64_t kGeneratedBudget = 1'000'000;

MachineCase generateCase(std::uint64_t seed);

}  // namespace qgpu::isatest
