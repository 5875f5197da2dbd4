// The same launches without tokens: blocks run and their results are written at once. For campaigns
// and benchmarks; a test holds it against Machine.
//
//   auto run = runFast(program, image, 1'000'000);
//   run->global[1];
//   run->executions;
#pragma once

#include <array>
#include <cstdint>

#include "interpreter/base/failure.h"
#include "interpreter/isa/instruction.h"
#include "interpreter/machine/state.h"
#include "interpreter/protocol/prompt.h"

namespace qgpu::machine {

struct FastRun {
  std::array<std::uint32_t, kMachine.global_rows> global{};
  std::array<std::uint32_t, kMachine.shared_words> shared{};
  std::int64_t executions = 0;         // EXEC tokens the machine would write
  std::int64_t warp_instructions = 0;  // slots run, nop left out
  std::int64_t lane_instructions = 0;  // the same, for each lane of the mask
};

// Runs `program` on the image's parameters, memory and shape (image.program is not looked at).
// `budget` bounds the executions. Refused: a program that breaks the block rules, an image that
// does not fit the machine. A Trap: a fault, the kernel's trap, the budget.
Expected<FastRun> runFast(const isa::Program& program, const protocol::Image& image,
                          std::int64_t budget);

}  // namespace qgpu::machine
