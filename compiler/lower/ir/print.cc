#include "compiler/lower/ir/print.h"

#include <fmt/format.h>

#include "interpreter/isa/assembly.h"

namespace qgpu::lower {
namespace {

std::string operandText(const Function& f, Id id) {
  if (id == kNone) return "_";
  const Instruction& i = f[id];
  switch (i.kind) {
    case Kind::Constant: {
      const std::string value = fmt::format("{}", static_cast<std::int32_t>(i.immediate));
      return i.memory.object == kNoObject ? value : fmt::format("{}@{}", value, i.memory.object);
    }
    case Kind::Argument: {
      const ArgumentWord& word = f.arguments[i.immediate];
      return fmt::format("argument {}+{}", word.parameter, word.offset);
    }
    case Kind::Special: return std::string(isa::name(static_cast<isa::Special>(i.immediate)));
    case Kind::Undefined: return "undefined";
    default: return fmt::format("%{}", id);
  }
}

std::string flagText(Predicate p) {
  if (p.isConstant()) return p.negate ? "never" : "always";
  return fmt::format("{}%{}", p.negate ? "!" : "", p.id);
}

std::string memoryText(const Function& f, const Instruction& i) {
  const char* space = i.memory.is_generic                    ? "generic"
                      : i.memory.space == isa::Space::Shared ? "shared"
                                                             : "global";
  std::string index;
  if (i.b != kNone)
    index = fmt::format(" + {}{}", operandText(f, i.b),
                        i.memory.scaled ? fmt::format("*{}", i.row().width) : "");
  return fmt::format("[{} {}{}]", space, i.memory.offset, index);
}

std::string operationText(const Function& f, const Instruction& i) {
  std::string text(i.row().name);
  if (hasFlag(i) && i.row().predicate != isa::PredicateUse::Flag)
    text += fmt::format(".{}", isa::name(i.compare));
  std::string separator = " ";
  const auto put = [&](const std::string& part) {
    text += separator + part;
    separator = ", ";
  };
  if (i.row().a || i.row().unit == isa::Unit::Divider) put(operandText(f, i.a));
  if (i.hasMemory())
    put(memoryText(f, i));
  else if (i.row().b)
    put(operandText(f, i.b));
  if (i.row().c) put(operandText(f, i.c));
  if (i.row().guard == isa::GuardUse::Input) {
    put(flagText(i.guard));
    if (i.row().unit == isa::Unit::Predicate) put(flagText(i.second));
  } else if (!i.guard.isAlways()) {
    text += fmt::format(" if {}", flagText(i.guard));
    if (keepsOld(i)) text += fmt::format(" else {}", operandText(f, i.c));
  }
  return text;
}

std::string terminatorText(const BasicBlock& block) {
  switch (block.terminator) {
    case Terminator::Jump: return fmt::format("jump {}", block.target);
    case Terminator::Branch:
      return fmt::format("branch {} to {} else {}", flagText(block.condition), block.target,
                         block.other);
    case Terminator::Exit: return "exit";
    case Terminator::Barrier: return fmt::format("barrier, then {}", block.target);
    case Terminator::Gather: return fmt::format("gather, then {}", block.target);
    case Terminator::Fence: return fmt::format("fence, then {}", block.target);
    case Terminator::Trap: return "trap";
  }
  return {};
}

}  // namespace

std::string print(const Function& f, Id id) {
  const Instruction& i = f[id];
  if (i.kind == Kind::Unsupported)
    return fmt::format("%{} = unsupported: {}", id, f.complaints[i.immediate].message);
  if (!i.isPhi()) return fmt::format("%{} = {}", id, operationText(f, i));
  std::string text = fmt::format("%{} = {}phi", id, i.kind == Kind::FlagPhi ? "predicate " : "");
  for (const Predicate& p : i.inputs)
    text += fmt::format(" {}", i.kind == Kind::Phi ? operandText(f, p.id) : flagText(p));
  return text;
}

std::string print(const Function& f) {
  std::string text;
  for (std::size_t b = 0; b < f.blocks.size(); ++b) {
    const BasicBlock& block = f.blocks[b];
    text += fmt::format("block {}: from {}\n", b, fmt::join(block.predecessors, ", "));
    for (const auto* list : {&block.phis, &block.body})
      for (const Id id : *list) text += fmt::format("  {}\n", print(f, id));
    text += fmt::format("  {}\n", terminatorText(block));
  }
  return text;
}

}  // namespace qgpu::lower
