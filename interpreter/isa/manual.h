// The instruction manual, generated from the table and the encoding.
//
//   std::cout << instructionManual();            // docs/instructions.md
//   std::cout << instructionEntry(Opcode::Mad);  // one instruction's section of it
//
// docs/instructions.md is this text (docs/tokens.md that of protocol/manual.h); a test says when
// they are not current, and the program qgpu_write_manual writes them.
#pragma once

#include <string>

#include "interpreter/isa/instruction.h"

namespace qgpu::isa {

// Markdown.
std::string instructionManual();
// The heading, form, effect, guard, predicate, memory, PTX opcodes, an example and the encoding.
std::string instructionEntry(Opcode op);

// A slot with that instruction which keeps the block rules (in a block of its kind): the example.
Slot exampleSlot(Opcode op);

}  // namespace qgpu::isa
