// The manual's pages as Markdown, generated from the instruction table, the encoding and the token
// specification. docs/instructions.md and docs/tokens.md are these pages; a test says when they are
// not current.
#pragma once

#include <string>

#include "interpreter/isa/opcode.h"

namespace qgpu::manual {

std::string instructionPage();
std::string tokenPage();

// The entry of one instruction: its form, effect, guard, memory, PTX and number.
std::string instructionEntry(isa::Opcode op);

}  // namespace qgpu::manual
