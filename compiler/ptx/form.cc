// Compiles the rows of the instruction table, and matches modifiers against them.
#include "compiler/ptx/form.h"

#include <algorithm>
#include <charconv>

#include "compiler/ptx/form_table.h"
#include "interpreter/base/failure.h"

namespace qgpu::ptx {
namespace {

struct Alias {
  std::string_view name;
  std::string_view meaning;
};

// Groups of values after a colon ...
constexpr Alias kGroups[] = {
    {"int8", "u8|s8"},
    {"int16", "u16|s16"},
    {"int32", "u32|s32"},
    {"int64", "u64|s64"},
    {"uint", "u16|u32|u64"},
    {"sint", "s16|s32|s64"},
    {"int", "u16|u32|u64|s16|s32|s64"},
    {"bits", "b16|b32|b64"},
    {"mem", "b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"},
    {"unsigned", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs"},
    {"float", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"nearest", "rn|rz|rm|rp"},
    {"integral", "rni|rzi|rmi|rpi"},
    {"sharedmem", "shared|shared::cta|shared::cluster"},
    {"memory",
     "const|global|local|param|param::entry|param::func|shared|shared::cta|shared::cluster"},
    {"window", "const|global|local|param|shared|param::entry|shared::cta|shared::cluster"},
};
// ... and runs of modifiers that several rows share.
constexpr Alias kRuns[] = {
    {"$atomglobal",
     "order?:relaxed|acquire|release|acq_rel scope?:cta|cluster|gpu|sys space?:global"},
    {"$atom",
     "order?:relaxed|acquire|release|acq_rel scope?:cta|cluster|gpu|sys space?:global|sharedmem"},
    {"$redglobal", "order?:relaxed|release scope?:cta|cluster|gpu|sys space?:global"},
    {"$red", "order?:relaxed|release scope?:cta|cluster|gpu|sys space?:global|sharedmem"},
    {"$hints", "L1? L2? L2::cache_hint"},
};
constexpr std::pair<std::string_view, Field> kFieldNames[] = {
    {"T", Field::Type},           {"S", Field::SourceType},        {"U", Field::ThirdType},
    {"cmp", Field::Compare},      {"bool", Field::Boolean},        {"half", Field::Half},
    {"dir", Field::Direction},    {"bound", Field::Bound},         {"round", Field::Rounding},
    {"prec", Field::Precision},   {"space", Field::Space},         {"order", Field::Order},
    {"scope", Field::Scope},      {"cache", Field::CacheOperator}, {"level", Field::CacheLevel},
    {"L1", Field::L1Eviction},    {"L2", Field::L2Eviction},       {"prefetch", Field::Prefetch},
    {"vec", Field::Vector},       {"op", Field::Operation},        {"shfl", Field::Shuffle},
    {"vote", Field::Vote},        {"perm", Field::Permute},        {"bar", Field::Barrier},
    {"class", Field::FloatClass},
};

template <typename Visit>
void split(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool eat(std::string_view& text, std::string_view tail) {
  if (!text.ends_with(tail)) return false;
  text.remove_suffix(tail.size());
  return true;
}

std::uint64_t valuesNamed(Field field, std::string_view text) {
  std::uint64_t mask = 0;
  split(text, '|', [&](std::string_view word) {
    for (const Alias& group : kGroups) {
      if (group.name == word) {
        mask |= valuesNamed(field, group.meaning);
        return;
      }
    }
    int value = 1;
    while (value < valuesOf(field) && spelling(field, static_cast<std::uint8_t>(value)) != word) {
      ++value;
    }
    check(value < valuesOf(field), "a value in the instruction table exists");
    mask |= std::uint64_t{1} << value;
  });
  return mask;
}

Flag flagNamed(std::string_view text) {
  int flag = 0;
  while (flag < kFlags && spelling(static_cast<Flag>(flag)) != text) ++flag;
  check(flag < kFlags, "a flag in the instruction table exists");
  return static_cast<Flag>(flag);
}

ModifierRule modifierRule(std::string_view text) {
  ModifierRule rule;
  if (text.starts_with('^')) {
    rule.first = true;
    text.remove_prefix(1);
  }
  std::size_t colon = text.find(':');
  if (colon != std::string_view::npos && text.substr(colon).starts_with("::")) {
    colon = std::string_view::npos;  // the flag L2::cache_hint
  }
  std::string_view name = text.substr(0, colon);
  const bool optional = eat(name, "?");
  for (const auto& [field_name, field] : kFieldNames) {
    if (field_name != name) continue;
    rule.field = field;
    rule.required = !optional;
    rule.allowed = colon == std::string_view::npos ? ((std::uint64_t{1} << valuesOf(field)) - 2)
                                                   : valuesNamed(field, text.substr(colon + 1));
    return rule;
  }
  rule.is_flag = true;
  rule.required = eat(name, "!");
  rule.flag = flagNamed(name);
  return rule;
}

void addModifiers(Form& form, std::string_view text) {
  split(text, ' ', [&](std::string_view word) {
    for (const Alias& run : kRuns) {
      if (run.name == word) return addModifiers(form, run.meaning);
    }
    const ModifierRule rule = modifierRule(word);
    const std::uint32_t bit =
        1u << static_cast<unsigned>(rule.is_flag ? static_cast<int>(rule.flag)
                                                 : static_cast<int>(rule.field));
    if (rule.is_flag) {
      form.flags |= bit;
    } else {
      form.allowed[static_cast<std::size_t>(rule.field)] = rule.allowed;
    }
    if (rule.required) (rule.is_flag ? form.required_flags : form.required_fields) |= bit;
    if (rule.first) (rule.is_flag ? form.first_flags : form.first_fields) |= bit;
    form.modifiers.push_back(rule);
  });
}

struct TypeName {
  TypeOf of = TypeOf::Fixed;
  Type fixed = Type::None;
};

TypeName operandType(std::string_view text) {
  if (text == "T") return {TypeOf::First, Type::None};
  if (text == "S") return {TypeOf::Second, Type::None};
  if (text == "U") return {TypeOf::Third, Type::None};
  if (text == "TT") return {TypeOf::Doubled, Type::None};
  if (text == "any") return {TypeOf::Pointer, Type::None};
  for (int v = 1; v < valuesOf(Field::Type); ++v) {
    if (spelling(static_cast<Type>(v)) == text) return {TypeOf::Fixed, static_cast<Type>(v)};
  }
  bug("a type in the instruction table exists");
}

void eatRange(OperandRule& rule, std::string_view& text) {
  if (!eat(text, ">")) return;
  const std::size_t open = text.find('<');
  const std::size_t dots = text.find("..");
  check(open < dots && dots != std::string_view::npos, "a range is <low..high>");
  rule.ranged = true;
  std::from_chars(text.data() + open + 1, text.data() + dots, rule.low);
  std::from_chars(text.data() + dots + 2, text.data() + text.size(), rule.high);
  text = text.substr(0, open);
}

void eatAttributes(OperandRule& rule, std::string_view& text) {
  rule.optional = eat(text, "?");
  eatRange(rule, text);
  for (bool more = true; more;) {
    more = false;
    const auto attribute = [&](std::string_view mark, bool& set) {
      if (eat(text, mark)) set = more = true;
    };
    attribute("_", rule.sink);
    attribute("~", rule.wider);
    attribute("*", rule.vector);
    attribute("#", rule.literal);
    attribute("$", rule.special);
    attribute("&", rule.symbol);
  }
}

OperandKind namedKind(std::string_view name, OperandRule& rule) {
  if (name == "d") return OperandKind::Destination;
  if (name == "{d}") return OperandKind::SplitDestination;
  if (name == "{a}") return OperandKind::SplitSource;
  if (name.starts_with("d|p")) {
    rule.second_required = name == "d|p!";
    return OperandKind::DestinationPair;
  }
  return rule.fixed == Type::Pred ? OperandKind::Predicate : OperandKind::Source;
}

OperandRule operandRule(std::string_view text) {
  OperandRule rule;
  if (text == "@label") return {.kind = OperandKind::Label};
  if (text == "@table") return {.kind = OperandKind::Table};
  if (text == "policy") return {.kind = OperandKind::Policy};
  if (text == "tail") return {.kind = OperandKind::Tail};
  if (text == "[a]") return {.kind = OperandKind::Address};
  eatAttributes(rule, text);
  const std::size_t colon = text.find(':');
  check(colon != std::string_view::npos, "an operand in the instruction table has a type");
  const TypeName type = operandType(text.substr(colon + 1));
  rule.type_of = type.of;
  rule.fixed = type.fixed;
  rule.kind = namedKind(text.substr(0, colon), rule);
  return rule;
}

struct Table {
  std::vector<Form> forms;
  std::array<std::pair<std::size_t, std::size_t>, kOpcodes>
      range{};  // of each opcode: first, count
};

Form compile(const FormRow& row) {
  Form form{.opcode = row.opcode, .modifier_text = row.modifiers, .operand_text = row.operands};
  addModifiers(form, row.modifiers);
  split(row.operands, ' ',
        [&](std::string_view word) { form.operands.push_back(operandRule(word)); });
  return form;
}

Table makeTable() {
  Table table;
  for (std::size_t opcode = 0; opcode < table.range.size(); ++opcode) {
    const std::size_t first = table.forms.size();
    for (const auto part : {integerRows(), memoryRows(), floatRows()}) {
      for (const FormRow& row : part) {
        if (static_cast<std::size_t>(row.opcode) == opcode) table.forms.push_back(compile(row));
      }
    }
    table.range[opcode] = {first, table.forms.size() - first};
  }
  return table;
}

const Table& table() {
  static const Table kTable = makeTable();
  return kTable;
}

}  // namespace

std::span<const Form> forms() { return table().forms; }

std::span<const Form> formsOf(Opcode opcode) {
  const auto [first, count] = table().range[static_cast<std::size_t>(opcode)];
  return forms().subspan(first, count);
}

}  // namespace qgpu::ptx
