// The tokens that faults are tried on: the small launches, which run every instruction, and random
// launches behind them, all on one machine.
#pragma once

#include <cstddef>
#include <vector>

#include "interpreter/protocol/token.h"

namespace qgpu::conformance {

// At least that many, up to the end of a launch; at least the small launches.
std::vector<protocol::Token> launchTokens(std::size_t at_least);

}  // namespace qgpu::conformance
