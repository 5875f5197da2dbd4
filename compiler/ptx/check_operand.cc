#include "compiler/ptx/check_operand.h"

#include <fmt/format.h>

#include "compiler/ptx/constant.h"
#include "compiler/ptx/special.h"

namespace qgpu::ptx {
namespace {

Type doubled(Type type) {
  switch (type) {
    case Type::U16: return Type::U32;
    case Type::U32: return Type::U64;
    case Type::S16: return Type::S32;
    default: return Type::S64;
  }
}

// Space::Shared and its qualified spellings name one window; likewise Param.
Space window(Space space) {
  if (space == Space::SharedCta || space == Space::SharedCluster) return Space::Shared;
  if (space == Space::ParamEntry || space == Space::ParamFunction) return Space::Param;
  return space;
}

bool literalFits(const Immediate& immediate, Type want) {
  if (isIntegral(immediate.kind))
    return !isFloat(want) && want != Type::U16x2 && want != Type::S16x2;
  switch (want) {
    case Type::F32:
    case Type::F64: return true;
    case Type::B32: return immediate.kind == Immediate::Kind::Float32;
    case Type::B64: return immediate.kind == Immediate::Kind::Float64;
    default: return false;
  }
}

}  // namespace

bool OperandChecker::applies(const OperandRule& rule) const {
  if (rule.kind == OperandKind::Tail) return instruction_.boolean != Boolean::None;
  if (rule.kind == OperandKind::Policy) return instruction_.has(Flag::CacheHint);
  return true;
}

bool OperandChecker::check(std::size_t& reached) {
  if (instruction_.opcode == Opcode::Call) return true;  // checkCall holds it against its target
  const std::vector<Operand>& operands = instruction_.operands;
  for (const OperandRule& rule : form_.operands) {
    if (!applies(rule)) continue;
    if (reached == operands.size()) {
      if (rule.optional) continue;
      return sayCount(instruction_.position, "needs more operands");
    }
    if (!checkOne(rule, operands[reached])) return false;
    ++reached;
  }
  if (reached < operands.size())
    return sayCount(operands[reached].position, "has too many operands");
  return checkWhole();
}

bool OperandChecker::sayCount(Position where, std::string_view what) {
  if (!complaint_.wanted) return false;
  return complaint_.say(
      where, [&] { return fmt::format("{} {}", name(), what); },
      fmt::format("it is written {}", ptx::describe(form_)));
}

bool OperandChecker::checkOne(const OperandRule& rule, const Operand& operand) {
  switch (rule.kind) {
    case OperandKind::Destination: return checkDestination(rule, operand);
    case OperandKind::DestinationPair: return checkPair(rule, operand);
    case OperandKind::Source: return checkSource(rule, operand);
    case OperandKind::SplitDestination:
    case OperandKind::SplitSource: return checkSplit(rule, operand);
    case OperandKind::Predicate:
    case OperandKind::Tail: {
      constexpr OperandRule kPredicate{.type_of = TypeOf::Fixed, .fixed = Type::Pred};
      return checkSource(kPredicate, operand);
    }
    case OperandKind::Policy: {
      constexpr OperandRule kPolicy{.type_of = TypeOf::Fixed, .fixed = Type::U64};
      return checkSource(kPolicy, operand);
    }
    case OperandKind::Address: return checkAddress(operand);
    case OperandKind::Label: return std::holds_alternative<LabelRef>(operand.value);
    case OperandKind::Table: return std::holds_alternative<TableRef>(operand.value);
  }
  return false;
}

Type OperandChecker::wanted(const OperandRule& rule) const {
  switch (rule.type_of) {
    case TypeOf::Fixed: return rule.fixed;
    case TypeOf::First: return instruction_.type;
    case TypeOf::Second: return instruction_.source_type;
    case TypeOf::Third: return instruction_.third_type;
    case TypeOf::Doubled: return doubled(instruction_.type);
    case TypeOf::Pointer: return Type::None;
  }
  return Type::None;
}

bool OperandChecker::checkRegister(const OperandRule& rule, Register reg, Position where) {
  const Type have = function_.registers[reg.id].type;
  const Type want = wanted(rule);
  if (reg.negated && want != Type::Pred) {
    return complaint_.say(
        where, [&] { return fmt::format("{}: `!` applies to predicates", name()); },
        "complement an integer with not");
  }
  const bool fine = rule.type_of == TypeOf::Pointer
                        ? fits(have, Type::U32, false) || fits(have, Type::U64, false)
                        : fits(have, want, rule.wider);
  if (fine) return true;
  return sayExpected(rule, where, [&] { return describe({reg, where}); });
}

bool OperandChecker::checkDestination(const OperandRule& rule, const Operand& operand) {
  if (isVector(rule)) return checkVector(rule, operand);
  if (std::holds_alternative<Sink>(operand.value) && rule.sink) return true;
  const auto* reg = std::get_if<Register>(&operand.value);
  if (reg == nullptr || reg->negated)
    return sayExpected(rule, operand.position, [&] { return describe(operand); });
  return checkRegister(rule, *reg, operand.position);
}

bool OperandChecker::checkPair(const OperandRule& rule, const Operand& operand) {
  const auto* both = std::get_if<RegisterPair>(&operand.value);
  if (both == nullptr) {
    if (!rule.second_required) return checkDestination(rule, operand);
    return complaint_.say(
        operand.position, [&] { return fmt::format("{} needs two destinations", name()); },
        "write register|predicate; `_` stands for one not wanted");
  }
  const bool may_skip_first = rule.sink || wanted(rule) == Type::Pred;
  if (both->first == kNoRegister && (!may_skip_first || both->second == kNoRegister)) {
    return complaint_.say(
        operand.position, [&] { return fmt::format("{} needs its first destination", name()); },
        "write a register in place of `_`");
  }
  if (both->first != kNoRegister && !checkRegister(rule, Register{both->first}, operand.position)) {
    return false;
  }
  constexpr OperandRule kPredicate{.type_of = TypeOf::Fixed, .fixed = Type::Pred};
  return both->second == kNoRegister ||
         checkRegister(kPredicate, Register{both->second}, operand.position);
}

bool OperandChecker::checkSource(const OperandRule& rule, const Operand& operand) {
  if (isVector(rule)) return checkVector(rule, operand);
  const Position where = operand.position;
  if (const auto* immediate = std::get_if<Immediate>(&operand.value)) {
    return checkImmediate(rule, *immediate, where);
  }
  if (rule.literal) return sayExpected(rule, where, [&] { return describe(operand); });
  if (const auto* reg = std::get_if<Register>(&operand.value))
    return checkRegister(rule, *reg, where);
  if (const auto* special = std::get_if<SpecialRegister>(&operand.value)) {
    return checkSpecial(rule, *special, where);
  }
  if (const auto* symbol = std::get_if<SymbolAddress>(&operand.value)) {
    return checkSymbol(rule, *symbol, where);
  }
  return sayExpected(rule, where, [&] { return describe(operand); });
}

bool OperandChecker::checkImmediate(const OperandRule& rule, const Immediate& immediate,
                                    Position where) {
  const Type want = rule.type_of == TypeOf::Pointer ? Type::B64 : wanted(rule);
  if (literalFits(immediate, want)) {
    const auto value = static_cast<std::int64_t>(immediate.bits);
    if (!rule.ranged || (value >= rule.low && value <= rule.high)) return true;
    return complaint_.say(where, [&] {
      return fmt::format("{}: {} is not in {} to {}", name(), value, rule.low, rule.high);
    });
  }
  return sayExpected(rule, where,
                     [&] { return isIntegral(immediate.kind) ? "an integer" : "a float"; });
}

bool OperandChecker::checkSpecial(const OperandRule& rule, const SpecialRegister& special,
                                  Position where) {
  if (!rule.special) {
    return complaint_.say(
        where, [&] { return fmt::format("{} cannot read {}", name(), spelling(special)); },
        "copy it to a register with mov first");
  }
  const Type want = wanted(rule);
  const bool whole = ptx::isVector(special.reg) && special.component == Component::None;
  const int width = bitWidth(want);
  const bool readable =
      readableAs(special.reg, width) || (rule.wider && width <= bitWidth(special.reg));
  if (!whole && readable && !isFloat(want)) return true;
  return sayExpected(rule, where, [&] {
    return fmt::format("{} has {}", spelling(special),
                       whole ? "four components" : fmt::format("{} bits", bitWidth(special.reg)));
  });
}

bool OperandChecker::checkSymbol(const OperandRule& rule, const SymbolAddress& symbol,
                                 Position where) {
  const Type want = wanted(rule);
  if (!rule.symbol) {
    return complaint_.say(
        where, [&] { return fmt::format("{} does not take a symbol", name()); },
        "copy its address to a register with mov first");
  }
  if (isFloat(want) || want == Type::Pred) {
    return complaint_.say(where, [&] { return fmt::format("{} cannot hold an address", name()); });
  }
  if (instruction_.opcode == Opcode::Cvta) return checkSpace(symbol.symbol, where);
  const bool global = symbol.symbol.kind != SymbolRef::Kind::Function &&
                      module_.variable(symbol.symbol, function_).space == Space::Global;
  return !global || bitWidth(want) >= module_.address_size || complaint_.say(where, [&] {
    return fmt::format("{}: a global address has {} bits", name(), module_.address_size);
  });
}

bool OperandChecker::checkAddress(const Operand& operand) {
  const Position where = operand.position;
  const auto* address = std::get_if<Address>(&operand.value);
  if (address == nullptr) {
    return complaint_.say(
        where,
        [&] { return fmt::format("{} needs an address, not {}", name(), describe(operand)); },
        "write it in brackets: [register+offset]");
  }
  if (const auto* symbol = std::get_if<SymbolRef>(&address->base))
    return checkSpace(*symbol, where);
  if (const auto* id = std::get_if<RegisterId>(&address->base)) {
    const RegisterInfo& reg = function_.registers[*id];
    if (isBits(reg.type) || isInteger(reg.type)) return checkPointer(reg, where);
    return complaint_.say(
        where,
        [&] {
          return fmt::format("{} is .{} and cannot be an address", reg.name, spelling(reg.type));
        },
        "use an integer register");
  }
  return instruction_.space == Space::Local ||
         complaint_.say(
             where, [&] { return fmt::format("{} does not take a constant address", name()); },
             "put the address into a register or name a variable");
}

// Global and generic addresses have all the bits of the module's address size.
bool OperandChecker::checkPointer(const RegisterInfo& reg, Position where) {
  const bool whole = instruction_.space == Space::None || instruction_.space == Space::Global;
  if (!whole || bitWidth(reg.type) >= module_.address_size) return true;
  return complaint_.say(
      where,
      [&] {
        return fmt::format("{} has {} bits, addresses here {}", reg.name, bitWidth(reg.type),
                           module_.address_size);
      },
      "widen it with cvt.u64.u32");
}

// A variable must lie in the space that the instruction names; a generic access reaches all but
// .param.
bool OperandChecker::checkSpace(const SymbolRef& symbol, Position where) {
  if (symbol.kind == SymbolRef::Kind::Function) {
    return complaint_.say(where,
                          [&] { return fmt::format("{}: a function is not memory", name()); });
  }
  const Variable& variable = module_.variable(symbol, function_);
  const Space asked = window(instruction_.space);
  const Space have = window(variable.space);
  const bool generic_fits = asked == Space::None && have != Space::Param && have != Space::Reg;
  if (asked != have && !generic_fits) {
    return complaint_.say(
        where,
        [&] {
          return fmt::format("{}: `{}` is in .{} space", name(), variable.name,
                             spelling(variable.space));
        },
        fmt::format("name .{} in the instruction", spelling(variable.space)));
  }
  if (symbol.kind != SymbolRef::Kind::Parameter || instruction_.opcode == Opcode::Cvta) return true;
  const bool is_result = symbol.index >= function_.parameters.size();
  if (instruction_.opcode == Opcode::St && !is_result) {
    return complaint_.say(where, [&] {
      return fmt::format("`{}` is a parameter and cannot be written", variable.name);
    });
  }
  if (instruction_.opcode == Opcode::Ld && is_result) {
    return complaint_.say(
        where, [&] { return fmt::format("`{}` is the result and cannot be read", variable.name); });
  }
  return true;
}

}  // namespace qgpu::ptx
