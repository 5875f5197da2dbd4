#include "compiler/ptx/match.h"

#include <fmt/format.h>

#include "compiler/ptx/check_operand.h"

namespace qgpu::ptx {
namespace {

bool has(std::uint64_t mask, unsigned bit) { return (mask >> bit & 1u) != 0; }

// Fits modifiers to one form, one after the other.
struct ModifierMatch {
  const Form& form;
  ModifierSet set{};
  std::uint32_t fields = 0;  // seen so far, as bits
  unsigned types = 0;
  bool first = true;  // only modifiers marked ^ so far

  bool take(const Modifier& modifier) {
    if (modifier.is_type) return takeType(modifier.meanings[0].value);
    for (int m = 0; m < modifier.count; ++m) {
      const Modifier::Meaning& meaning = modifier.meanings[static_cast<std::size_t>(m)];
      if (meaning.is_flag ? takeFlag(meaning.value)
                          : takeValue(static_cast<unsigned>(meaning.field), meaning.value)) {
        return true;
      }
    }
    return false;
  }

  // Types fill the first, second and third type in order.
  bool takeType(std::uint8_t value) {
    if (types == 3 || !takeValue(static_cast<unsigned>(Field::Type) + types, value)) return false;
    ++types;
    return true;
  }

  bool takeFlag(unsigned flag) {
    if (!has(form.flags, flag) || !inPlace(has(form.first_flags, flag))) return false;
    set.flags.set(static_cast<Flag>(flag));
    return true;
  }

  bool takeValue(unsigned field, std::uint8_t value) {
    if (!has(form.allowed[field], value) || has(fields, field)) return false;
    if (!inPlace(has(form.first_fields, field))) return false;
    set.values[field] = value;
    fields |= 1u << field;
    return true;
  }

  bool inPlace(bool marked) {
    if (marked) return first;
    first = false;
    return true;
  }

  bool complete() const {
    return (form.required_fields & ~fields) == 0 && (form.required_flags & ~set.flags.bits()) == 0;
  }
};

// How far an instruction got with a form: modifiers, then operands.
struct Progress {
  const Form* form = nullptr;
  std::size_t reached = 0;
  bool modifiers_fit = false;
};

std::string written(const Instruction& instruction, std::span<const Written> modifiers) {
  std::string text(spelling(instruction.opcode));
  for (const Written& w : modifiers) text += fmt::format(".{}", w.modifier->text);
  return text;
}

std::string formsHint(Opcode opcode) {
  constexpr std::size_t kMost = 4;
  std::string hint = "known forms: ";
  std::size_t count = 0;
  std::string before;
  for (const Form& form : formsOf(opcode)) {
    std::string text = describeModifiers(form);
    if (text == before) continue;
    if (count++ == kMost) return hint + " ...";
    hint += (count == 1 ? "" : " | ") + text;
    before = std::move(text);
  }
  return hint;
}

bool complainModifiers(std::span<const Written> modifiers, const Instruction& instruction,
                       const Progress& best, Complaint& complaint) {
  const std::string name = written(instruction, modifiers);
  if (best.reached < modifiers.size()) {
    const Written& odd = modifiers[best.reached];
    return complaint.say(
        odd.position,
        [&] { return fmt::format("`{}`: `.{}` does not belong there", name, odd.modifier->text); },
        formsHint(instruction.opcode));
  }
  return complaint.say(
      instruction.position, [&] { return fmt::format("`{}` lacks a modifier", name); },
      formsHint(instruction.opcode));
}

// Whether the operand at fault is a vector where the form has one: nearer than a form without.
bool splits(const Form& form, const Instruction& instruction, std::size_t index) {
  if (index >= instruction.operands.size() || index >= form.operands.size()) return false;
  const OperandKind kind = form.operands[index].kind;
  return (kind == OperandKind::SplitDestination || kind == OperandKind::SplitSource) &&
         std::holds_alternative<VectorOperand>(instruction.operands[index].value);
}

bool tryForm(const Form& form, std::span<const Written> modifiers, const Module& module,
             const Function& function, Instruction& instruction, Progress& progress) {
  progress = {&form, 0, false};
  ModifierMatch match{form};
  while (progress.reached < modifiers.size() && match.take(*modifiers[progress.reached].modifier)) {
    ++progress.reached;
  }
  if (progress.reached < modifiers.size() || !match.complete()) return false;
  progress.modifiers_fit = true;
  progress.reached = 0;
  setModifiers(instruction, match.set);
  instruction.form = static_cast<std::uint16_t>(&form - forms().data());
  Complaint quiet;
  if (OperandChecker(form, instruction, module, function, quiet).check(progress.reached))
    return true;
  progress.reached = 2 * progress.reached + (splits(form, instruction, progress.reached) ? 1 : 0);
  return false;
}

bool better(const Progress& a, const Progress& b) {
  if (b.form == nullptr) return true;
  if (a.modifiers_fit != b.modifiers_fit) return a.modifiers_fit;
  return a.reached > b.reached;
}

}  // namespace

bool fits(Type have, Type want, bool wider) {
  if (have == Type::Pred || want == Type::Pred) return have == want;
  const bool has_no_register = want == Type::BF16 || want == Type::BF16x2 || want == Type::TF32 ||
                               want == Type::E4M3x2 || want == Type::E5M2x2;
  if (has_no_register) return isBits(have) && bitWidth(have) == bitWidth(want);
  const int have_width = bitWidth(have);
  const int want_width = bitWidth(want);
  if (have_width < want_width || (have_width > want_width && !wider)) return false;
  if (isBits(want) || isBits(have) || have == want) return true;
  return (isInteger(have) || have == Type::F16x2) && isInteger(want);
}

bool matchForm(std::span<const Written> modifiers, const Module& module, const Function& function,
               Instruction& instruction, Complaint& complaint) {
  Progress best;
  for (const Form& form : formsOf(instruction.opcode)) {
    Progress progress;
    if (tryForm(form, modifiers, module, function, instruction, progress)) return true;
    if (better(progress, best)) best = progress;
  }
  complaint.wanted = true;
  if (!best.modifiers_fit) return complainModifiers(modifiers, instruction, best, complaint);
  ModifierMatch match{*best.form};
  for (const auto& written : modifiers) match.take(*written.modifier);
  setModifiers(instruction, match.set);
  std::size_t reached = 0;
  OperandChecker(*best.form, instruction, module, function, complaint).check(reached);
  return false;
}

}  // namespace qgpu::ptx
