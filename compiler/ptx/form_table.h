// The rows behind form.h, as text.
#pragma once

#include <span>
#include <string_view>

#include "compiler/ptx/instruction.h"

namespace qgpu::ptx {

struct FormRow {
  Opcode opcode;
  std::string_view modifiers;
  std::string_view operands;
};
std::span<const FormRow> integerRows();  // arithmetic, logic, comparison, movement
std::span<const FormRow> memoryRows();   // memory, synchronisation, control flow
std::span<const FormRow> floatRows();

}  // namespace qgpu::ptx
