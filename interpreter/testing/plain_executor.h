// The machine a second time: threads with plain state, stepped through blocks by the schedule that
// docs/machine.md specifies. It shares no code with interpreter/machine and none of the table, and
// is there to disagree with them.
//
//   PlainRun run = runPlain(launch, 10'000);
//   run.tokens;      // what the model writes, HALT or TRAP last
//   run.global[1];
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "interpreter/protocol/token.h"
#include "interpreter/testing/machine_case.h"
#include "interpreter/testing/plain_clauses.h"

namespace qgpu::isatest {

enum class Ending : std::uint8_t { Halted, Trapped, OutOfBudget };

struct PlainRun {
  Ending ending = Ending::Halted;
  std::vector<protocol::Token> tokens;
  std::int64_t executions = 0;
  std::array<std::uint32_t, 128> global{};
  std::array<std::uint32_t, 64> shared{};
};

// The program must keep the block rules. `budget` bounds the blocks executed. Another meaning of
// the instructions than the plain one makes it a mutant of the machine.
PlainRun runPlain(const MachineCase& launch, std::int64_t budget, const Meaning& meaning = {});

}  // namespace qgpu::isatest
