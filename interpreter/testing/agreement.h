// The machine's executors held against each other on one launch: machine::Machine, machine::runFast
// and the plain executor.
//
//   if (const auto difference = disagreement(launch, budget)) FAIL() << *difference <<
//   launch.text();
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "interpreter/testing/machine_case.h"

namespace qgpu::isatest {

// What differs first; nothing where all agree. `budget` bounds the blocks executed; executors that
// are all out of budget agree.
std::optional<std::string> disagreement(const MachineCase& launch, std::int64_t budget);

}  // namespace qgpu::isatest
