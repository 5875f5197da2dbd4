#include "compiler/ptx/samples.h"

#include <algorithm>

#include <fmt/format.h>

namespace qgpu::ptx {
namespace {

// Types that registers can have.
constexpr Type kRegisterTypes[] = {Type::B8,  Type::B16, Type::B32, Type::B64, Type::B128,
                                   Type::U8,  Type::U16, Type::U32, Type::U64, Type::S8,
                                   Type::S16, Type::S32, Type::S64, Type::F16, Type::F16x2,
                                   Type::F32, Type::F64, Type::Pred};

std::string reg(Type type, int number) { return fmt::format("%{}_{}", spelling(type), number); }

// A register type of the width of any type.
Type registerType(Type type) {
  if (std::find(std::begin(kRegisterTypes), std::end(kRegisterTypes), type) !=
      std::end(kRegisterTypes)) {
    return type;
  }
  switch (bitWidth(type)) {
    case 16: return Type::B16;
    case 32: return Type::B32;
    default: return Type::B64;
  }
}

Type doubled(Type type) {
  if (type == Type::U16) return Type::U32;
  if (type == Type::S16) return Type::S32;
  return type == Type::U32 ? Type::U64 : Type::S64;
}

struct Sample {
  const Form* form = nullptr;
  ModifierSet modifiers;
  std::vector<std::string> operands;

  std::string text() const {
    std::string result(spelling(form->opcode));
    for (const ModifierRule& rule : form->modifiers) {
      if (rule.is_flag ? modifiers.flags.has(rule.flag) : modifiers[rule.field] != 0) {
        result += fmt::format(".{}", rule.is_flag ? spelling(rule.flag)
                                                  : spelling(rule.field, modifiers[rule.field]));
      }
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
      result += fmt::format("{}{}", i == 0 ? " " : ", ", operands[i]);
    }
    return result + ";";
  }
};

Type typeOf(const OperandRule& rule, const ModifierSet& set) {
  switch (rule.type_of) {
    case TypeOf::Fixed: return rule.fixed;
    case TypeOf::First: return static_cast<Type>(set[Field::Type]);
    case TypeOf::Second: return static_cast<Type>(set[Field::SourceType]);
    case TypeOf::Third: return static_cast<Type>(set[Field::ThirdType]);
    case TypeOf::Doubled: return doubled(static_cast<Type>(set[Field::Type]));
    case TypeOf::Pointer: return Type::U64;
  }
  return Type::None;
}

std::string vectorOf(Type type, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", reg(type, 1 + i % 3));
  return text + "}";
}

std::string addressFor(const ModifierSet& set, bool writes) {
  switch (static_cast<Space>(set[Field::Space])) {
    case Space::Const: return "[co+4]";
    case Space::Local: return "[lo+4]";
    case Space::Param:
    case Space::ParamFunction: return writes ? "[pv]" : "[p0]";
    case Space::ParamEntry: return "[p0]";
    case Space::Shared:
    case Space::SharedCta:
    case Space::SharedCluster: return "[sh+4]";
    default: return "[%u64_1+8]";
  }
}

std::string operandFor(const OperandRule& rule, const Sample& sample, int number) {
  const ModifierSet& set = sample.modifiers;
  const Type type = registerType(typeOf(rule, set));
  const auto vector = static_cast<Vector>(set[Field::Vector]);
  switch (rule.kind) {
    case OperandKind::Predicate:
    case OperandKind::Tail: return number % 2 == 0 ? "!%pred_1" : "%pred_2";
    case OperandKind::Address: return addressFor(set, sample.form->opcode == Opcode::St);
    case OperandKind::Label: return "L";
    case OperandKind::Table: return "T";
    case OperandKind::Policy: return "%b64_1";
    case OperandKind::SplitDestination:
    case OperandKind::SplitSource:
      return type == Type::B16   ? "{%b8_1, %b8_2}"
             : type == Type::B32 ? "{%b16_1, %b16_2}"
             : type == Type::B64 ? "{%b32_1, %b32_2}"
                                 : "{%b64_1, %b64_2}";
    case OperandKind::DestinationPair:
      return rule.second_required ? reg(type, 1) + "|%pred_3" : reg(type, 1);
    default: break;
  }
  if (rule.literal) return "3";
  if (rule.vector && vector != Vector::None) return vectorOf(type, elements(vector));
  return reg(type, 1 + number % 3);
}

void addOperands(Sample& sample) {
  for (const OperandRule& rule : sample.form->operands) {
    if (rule.kind == OperandKind::Tail && sample.modifiers[Field::Boolean] == 0) continue;
    if (rule.kind == OperandKind::Policy && !sample.modifiers.flags.has(Flag::CacheHint)) continue;
    sample.operands.push_back(operandFor(rule, sample, static_cast<int>(sample.operands.size())));
  }
}

// Calls use(sample) for the rule's values in turn, or once without it.
template <typename Use>
void withTypes(const Form& form, Sample sample, int field, Use use) {
  while (field < 3 && form.allowed[static_cast<std::size_t>(field)] == 0) ++field;
  if (field == 3) return use(sample);
  for (int v = 1; v < valuesOf(Field::Type); ++v) {
    if ((form.allowed[static_cast<std::size_t>(field)] >> v & 1u) == 0) continue;
    sample.modifiers[static_cast<Field>(field)] = static_cast<std::uint8_t>(v);
    withTypes(form, sample, field + 1, use);
  }
}

bool isTypeRule(const ModifierRule& rule) {
  return !rule.is_flag && rule.field <= Field::ThirdType;
}

// The required modifiers with their first values.
Sample simplest(const Form& form) {
  Sample sample{&form, {}, {}};
  for (const ModifierRule& rule : form.modifiers) {
    if (!rule.required || isTypeRule(rule)) continue;
    if (rule.is_flag) {
      sample.modifiers.flags.set(rule.flag);
    } else {
      sample.modifiers[rule.field] = static_cast<std::uint8_t>(std::countr_zero(rule.allowed));
    }
  }
  return sample;
}

// Samples that differ from the simplest in one modifier.
std::vector<Sample> variations(const Form& form) {
  std::vector<Sample> result = {simplest(form)};
  for (const ModifierRule& rule : form.modifiers) {
    if (isTypeRule(rule)) continue;
    if (rule.is_flag) {
      if (rule.required) continue;
      Sample sample = simplest(form);
      sample.modifiers.flags.set(rule.flag);
      result.push_back(sample);
      continue;
    }
    for (int v = 1; v < valuesOf(rule.field); ++v) {
      if ((rule.allowed >> v & 1u) == 0) continue;
      Sample sample = simplest(form);
      if (sample.modifiers[rule.field] == v) continue;
      sample.modifiers[rule.field] = static_cast<std::uint8_t>(v);
      result.push_back(sample);
    }
  }
  return result;
}

template <typename Use>
void eachSample(Use use) {
  for (const Form& form : forms()) {
    if (form.opcode == Opcode::Call) continue;
    for (const Sample& variation : variations(form)) {
      withTypes(form, variation, 0, [&](Sample sample) {
        addOperands(sample);
        use(sample);
      });
    }
  }
}

std::vector<std::string> replacements() {
  std::vector<std::string> result = {"!%pred_1",
                                     "7",
                                     "-1",
                                     "0f3F800000",
                                     "0d3FF0000000000000",
                                     "1.5",
                                     "_",
                                     "gl",
                                     "sh",
                                     "p0",
                                     "k",
                                     "%tid.x",
                                     "%clock64",
                                     "%laneid",
                                     "[%u64_1]",
                                     "[%u32_1+-4]",
                                     "[gl+4]",
                                     "[sh]",
                                     "[p0]",
                                     "[16]",
                                     "[%f32_1]",
                                     "%b32_1|%pred_1",
                                     "%pred_1|_",
                                     "_|%pred_1",
                                     "{%b32_1, %b32_2}",
                                     "{%b32_1, 5}",
                                     "{%b32_1, _}",
                                     "{%b16_1, %b32_2}",
                                     "{%b32_1, %b32_2, %b32_3, %b32_1}"};
  for (const Type type : kRegisterTypes) result.push_back(reg(type, 1));
  return result;
}

}  // namespace

std::vector<std::string> legalSamples() {
  std::vector<std::string> result;
  eachSample([&](const Sample& sample) { result.push_back(sample.text()); });
  return result;
}

std::vector<std::string> mutatedSamples() {
  std::vector<std::string> result;
  const std::vector<std::string> pool = replacements();
  eachSample([&](const Sample& sample) {
    for (std::size_t i = 0; i < sample.operands.size(); ++i) {
      for (const std::string& other : pool) {
        Sample mutated = sample;
        mutated.operands[i] = other;
        result.push_back(mutated.text());
      }
      Sample shorter = sample;
      shorter.operands.erase(shorter.operands.begin() + static_cast<std::ptrdiff_t>(i));
      result.push_back(shorter.text());
    }
    Sample longer = sample;
    longer.operands.emplace_back("%b32_1");
    result.push_back(longer.text());
  });
  return result;
}

std::string sampleKernel(const std::vector<std::string>& statements, std::string_view target) {
  std::string text = fmt::format(
      ".version 8.8\n.target {}\n.address_size 64\n"
      ".global .align 16 .b8 gl[64]; .const .align 16 .b8 co[64];\n"
      ".visible .entry k(.param .u64 p0, .param .u32 p1) {{\n",
      target);
  for (const Type type : kRegisterTypes)
    text += fmt::format(".reg .{0} %{0}_<4>; ", spelling(type));
  text +=
      "\n.shared .align 16 .b8 sh[64]; .local .align 16 .b8 lo[64]; .param .align 16 .b8 pv[16];\n"
      "L: T: .branchtargets L;\n\n";
  for (const std::string& statement : statements) text += statement + "\n";
  return text + "ret;\n}\n";
}

}  // namespace qgpu::ptx
