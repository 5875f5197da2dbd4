// Forms and operands in words, for messages and documentation.
#include <fmt/format.h>

#include "compiler/ptx/check_operand.h"
#include "compiler/ptx/special.h"

namespace qgpu::ptx {
namespace {

// "{u16,u32}" or "wrap"
std::string values(const ModifierRule& rule) {
  constexpr int kMost = 8;
  std::string text;
  int count = 0;
  for (int v = 1; v < valuesOf(rule.field); ++v) {
    if ((rule.allowed >> v & 1u) == 0) continue;
    if (++count > kMost) {
      text += ",...";
      break;
    }
    text += fmt::format("{}{}", count == 1 ? "" : ",",
                        spelling(rule.field, static_cast<std::uint8_t>(v)));
  }
  return count == 1 ? text : "{" + text + "}";
}

std::string operandText(const OperandRule& rule, int index) {
  constexpr std::string_view kNames = "dabcefgh";
  const std::string name(1, kNames[static_cast<std::size_t>(index)]);
  switch (rule.kind) {
    case OperandKind::DestinationPair: return rule.second_required ? "d|p" : "d[|p]";
    case OperandKind::SplitDestination:
    case OperandKind::SplitSource: return "{" + name + ",...}";
    case OperandKind::Tail:
    case OperandKind::Predicate: return "[!]" + name;
    case OperandKind::Address: return "[address]";
    case OperandKind::Label: return "label";
    case OperandKind::Table: return "targets";
    case OperandKind::Policy: return "policy";
    default: return rule.optional ? "[" + name + "]" : name;
  }
}

}  // namespace

std::string describeModifiers(const Form& form) {
  std::string text(spelling(form.opcode));
  for (const ModifierRule& rule : form.modifiers) {
    const std::string part = rule.is_flag ? std::string(spelling(rule.flag)) : values(rule);
    text += rule.required ? fmt::format(".{}", part) : fmt::format("[.{}]", part);
  }
  return text;
}

std::string describe(const Form& form) {
  std::string text = describeModifiers(form);
  bool has_destination = false;
  for (const OperandRule& rule : form.operands) {
    has_destination = has_destination || rule.kind == OperandKind::Destination ||
                      rule.kind == OperandKind::DestinationPair ||
                      rule.kind == OperandKind::SplitDestination;
  }
  int index = has_destination ? 0 : 1;
  std::string separator = " ";
  for (const OperandRule& rule : form.operands) {
    text += separator + operandText(rule, index);
    separator = ", ";
    if (rule.kind != OperandKind::Address) ++index;
  }
  return text;
}

std::string OperandChecker::name() const {
  std::string text(spelling(form_.opcode));
  const ModifierSet set = modifiersOf(instruction_);
  for (const ModifierRule& rule : form_.modifiers) {
    if (rule.is_flag) {
      if (set.flags.has(rule.flag)) text += fmt::format(".{}", spelling(rule.flag));
    } else if (set[rule.field] != 0) {
      text += fmt::format(".{}", spelling(rule.field, set[rule.field]));
    }
  }
  return "`" + text + "`";
}

std::string OperandChecker::describe(const Operand& operand) const {
  if (const auto* reg = std::get_if<Register>(&operand.value)) {
    const RegisterInfo& info = function_.registers[reg->id];
    return fmt::format("{} (.{})", info.name, spelling(info.type));
  }
  if (const auto* special = std::get_if<SpecialRegister>(&operand.value)) return spelling(*special);
  // In the order of Operand::Value.
  constexpr std::string_view kKinds[] = {"a register",
                                         "a constant",
                                         "an address",
                                         "a symbol",
                                         "a special register",
                                         "two destinations",
                                         "a vector",
                                         "a list",
                                         "a label",
                                         "a list of labels",
                                         "`_`"};
  return std::string(kKinds[operand.value.index()]);
}

std::string OperandChecker::expected(const OperandRule& rule) const {
  if (rule.kind == OperandKind::SplitDestination || rule.kind == OperandKind::SplitSource) {
    return "a vector {a, b}";
  }
  if (rule.literal) return "an integer literal";
  if (rule.type_of == TypeOf::Pointer) return "a 32- or 64-bit integer register";
  const Type want = wanted(rule);
  if (want == Type::Pred) return "a predicate";
  const bool destination =
      rule.kind == OperandKind::Destination || rule.kind == OperandKind::DestinationPair;
  return fmt::format("{} of {}{} bits for .{}", destination ? "a register" : "a value",
                     rule.wider ? "at least " : "", bitWidth(want), spelling(want));
}

}  // namespace qgpu::ptx
