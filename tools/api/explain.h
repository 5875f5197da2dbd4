// Why a launch trapped, in the user's words. Private to this folder.
#pragma once

#include <span>

#include "tools/api/qgpu.h"

namespace qgpu {

// Replays the trace on the reference machine up to its TRAP and says which threads did what, at
// which line of the source. An engine only says that the kernel is at fault.
Failure explainTrap(const Program& program, std::span<const protocol::Token> host,
                    std::span<const protocol::Token> written);

}  // namespace qgpu
