#include "tools/api/explain.h"

#include <fmt/format.h>

#include "interpreter/machine/machine.h"

namespace qgpu {
namespace {

// Where the faulting slot, or the terminator, comes from.
const lower::Origin* originOf(const Program& program, int block, int slot) {
  const auto& origins = program.lowered.report.origins;
  if (block < 0 || static_cast<std::size_t>(block) >= origins.size()) return nullptr;
  const lower::BlockOrigin& origin = origins[static_cast<std::size_t>(block)];
  return slot < 0 ? &origin.terminator : &origin.slots[static_cast<std::size_t>(slot)];
}

}  // namespace

Failure explainTrap(const Program& program, std::span<const protocol::Token> host,
                    std::span<const protocol::Token> written) {
  machine::Machine machine;
  for (const auto tokens : {host, written})
    for (const protocol::Token& token : tokens)
      if (!machine.step(token))
        return {FailureKind::Trap, {}, "the engine wrote TRAP where the machine does not", ""};
  Failure failure = machine.trapReason();
  const int block = machine.state().exec.field[0];
  if (const lower::Origin* origin = originOf(program, block, machine.lastBlock().fault_slot)) {
    if (origin->source.line != 0)
      failure.location = origin->source;
    else if (origin->ptx_line != 0)
      failure.location = {program.launch.kernel.string(), origin->ptx_line, 0};
  }
  return failure;
}

}  // namespace qgpu
