// Vector operands: `{a, b}`.
#include <fmt/format.h>

#include "compiler/ptx/check_operand.h"
#include "compiler/ptx/constant.h"
#include "compiler/ptx/special.h"

namespace qgpu::ptx {

bool OperandChecker::checkVector(const OperandRule& rule, const Operand& operand) {
  const auto count = static_cast<std::size_t>(elements(instruction_.vector));
  const bool destination = rule.kind == OperandKind::Destination;
  if (const auto* special = std::get_if<SpecialRegister>(&operand.value)) {
    if (rule.special && ptx::isVector(special->reg) && special->component == Component::None &&
        count == 4 && bitWidth(instruction_.type) == 32) {
      return true;
    }
  }
  const auto* vector = std::get_if<VectorOperand>(&operand.value);
  if (vector == nullptr || vector->elements.size() != count) {
    return complaint_.say(
        operand.position, [&] { return fmt::format("{} needs a vector of {}", name(), count); },
        "write it in braces: {a, b}");
  }
  OperandRule element = rule;
  element.vector = false;
  element.special = false;
  bool any = false;
  int width = 0;
  for (const Operand& part : vector->elements) {
    if (destination && std::holds_alternative<Sink>(part.value)) continue;
    any = true;
    if (!(destination ? checkDestination(element, part) : checkSource(element, part))) return false;
    const auto* reg = std::get_if<Register>(&part.value);
    if (reg == nullptr) continue;
    const int have = bitWidth(function_.registers[reg->id].type);
    if (width != 0 && have != width) {
      return complaint_.say(part.position, [&] {
        return fmt::format("{}: the vector's registers differ in width", name());
      });
    }
    width = have;
  }
  return any || complaint_.say(
                    operand.position, [&] { return fmt::format("{} drops every element", name()); },
                    "name at least one register");
}

// mov between one wide register and its equal parts.
bool OperandChecker::checkSplit(const OperandRule& rule, const Operand& operand) {
  const bool destination = rule.kind == OperandKind::SplitDestination;
  const auto* vector = std::get_if<VectorOperand>(&operand.value);
  if (vector == nullptr)
    return sayExpected(rule, operand.position, [&] { return describe(operand); });
  int width = 0;
  bool any = false;
  for (const Operand& part : vector->elements) {
    any = any || !std::holds_alternative<Sink>(part.value);
    if (!checkSplitElement(part, width, destination)) return false;
  }
  const int total = bitWidth(instruction_.type);
  const auto count = static_cast<int>(vector->elements.size());
  const bool count_fits = count == 2 || count == 4;
  if (any && count_fits && (width == 0 || width * count == total)) return true;
  return complaint_.say(operand.position, [&] {
    return fmt::format("{}: {} parts of {} bits do not make {}", name(), count, width, total);
  });
}

bool OperandChecker::checkSplitElement(const Operand& element, int& width, bool destination) {
  if (destination && std::holds_alternative<Sink>(element.value)) return true;
  int have = 0;
  if (const auto* reg = std::get_if<Register>(&element.value)) {
    have = bitWidth(function_.registers[reg->id].type);
    if (have == 1) have = 0;
  } else if (const auto* special = std::get_if<SpecialRegister>(&element.value)) {
    have = destination ? 0 : bitWidth(special->reg);
  } else if (const auto* immediate = std::get_if<Immediate>(&element.value)) {
    if (!destination && isIntegral(immediate->kind)) return true;
  }
  if (have == 0) {
    return complaint_.say(element.position, [&] {
      return fmt::format("{}: {} cannot be part of a vector", name(), describe(element));
    });
  }
  if (width != 0 && width != have) {
    return complaint_.say(element.position, [&] {
      return fmt::format("{}: the vector's registers differ in width", name());
    });
  }
  width = have;
  return true;
}

}  // namespace qgpu::ptx
