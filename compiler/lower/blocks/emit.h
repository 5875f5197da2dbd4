// Placed blocks with registers as a program of the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/lower/blocks/allocate.h"
#include "compiler/lower/blocks/operands.h"
#include "compiler/lower/blocks/placed.h"
#include "interpreter/isa/instruction.h"

namespace qgpu::lower {

struct Emitted {
  isa::Program program;
  std::vector<PassedWord> parameters;  // what parameter words 0, 1, ... hold
  // The PTX instructions, by index, that slots and terminators come from.
  struct BlockOrigins {
    std::array<std::optional<std::uint32_t>, kMachine.slots> slots;
    std::uint32_t terminator = 0;
  };
  std::vector<BlockOrigins> origins;
};

struct Registers {
  const Webs& webs;
  const BlockLiveness& live;
  const Colouring& colouring;
};

// Never fails: a program with too many blocks or parameter words is the caller's to refuse.
Emitted emit(const Function& f, const Placed& placed, const Registers& words,
             const Registers& flags);

}  // namespace qgpu::lower
