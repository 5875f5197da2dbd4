#include "compiler/ptx/manual.h"

#include <fmt/format.h>

#include "compiler/ptx/form.h"

namespace qgpu::ptx {

std::string manualPage() {
  std::string page =
      "# PTX instructions\n\n"
      "What the PTX front end takes, one line for each form; generated from its instruction "
      "table.\n"
      "Whether the machine can run an instruction is decided later, when it is lowered: floating "
      "point,\n"
      "for one, is read here and refused there.\n\n"
      "`[...]` may be left out, `{a,b}` is a choice. Modifiers may come in any order, types keep "
      "theirs.\n"
      "`d` is the destination, `[!]c` a predicate or its negation, `d[|p]` a destination with an "
      "optional\n"
      "second one. Every instruction can have a guard, `@p` or `@!p`.\n\n```\n";
  for (const Form& form : forms()) {
    if (form.opcode == Opcode::Call) continue;
    page += describe(form) + "\n";
  }
  page += "call[.uni] [(results),] function [, (arguments)]\n";
  page += "call[.uni] [(results),] register, (arguments), prototype\n```\n\n## Refused by name\n\n";
  for (const InstructionFamily& family : instructionFamilies()) {
    page += fmt::format("- {}: `{}`\n", family.name, family.opcodes);
  }
  return page;
}

}  // namespace qgpu::ptx
