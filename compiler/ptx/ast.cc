#include "compiler/ptx/ast.h"

#include <algorithm>

#include "compiler/ptx/form.h"

namespace qgpu::ptx {

bool operator==(const Operand& a, const Operand& b) { return a.value == b.value; }

bool operator==(const Instruction& a, const Instruction& b) {
  const ModifierSet x = modifiersOf(a);
  const ModifierSet y = modifiersOf(b);
  return a.opcode == b.opcode && a.form == b.form && x.values == y.values && x.flags == y.flags &&
         a.guard == b.guard && a.operands == b.operands;
}

bool operator==(const Variable& a, const Variable& b) {
  return a.name == b.name && a.linkage == b.linkage && a.space == b.space && a.type == b.type &&
         a.vector == b.vector && a.alignment == b.alignment && a.dimensions == b.dimensions &&
         a.size == b.size && a.initial == b.initial && a.relocations == b.relocations &&
         a.managed == b.managed && a.is_pointer == b.is_pointer && a.pointer == b.pointer &&
         a.reg == b.reg;
}

bool operator==(const Function& a, const Function& b) {
  return a.name == b.name && a.is_entry == b.is_entry && a.has_body == b.has_body &&
         a.linkage == b.linkage && a.parameters == b.parameters && a.results == b.results &&
         a.directives == b.directives && a.registers == b.registers && a.variables == b.variables &&
         a.labels == b.labels && a.tables == b.tables && a.pragmas == b.pragmas && a.body == b.body;
}

bool operator==(const Module& a, const Module& b) {
  return a.version_major == b.version_major && a.version_minor == b.version_minor &&
         a.targets == b.targets && a.address_size == b.address_size && a.variables == b.variables &&
         a.functions == b.functions;
}

Location Module::locate(const Instruction& instruction) const {
  if (instruction.source == kNoSource) return locate(instruction.position);
  const SourceLine* line = &sources[instruction.source];
  while (line->inlined_at != kNoSource) line = &sources[line->inlined_at];
  const auto file = std::find_if(files.begin(), files.end(),
                                 [&](const File& f) { return f.number == line->file; });
  if (file == files.end() || line->line == 0) return locate(instruction.position);
  return {file->name, line->line, line->column};
}

const Variable& Module::variable(const SymbolRef& symbol, const Function& function) const {
  switch (symbol.kind) {
    case SymbolRef::Kind::LocalVariable: return function.variables[symbol.index];
    case SymbolRef::Kind::Parameter: return function.parameter(symbol.index);
    default: return variables[symbol.index];
  }
}

}  // namespace qgpu::ptx
