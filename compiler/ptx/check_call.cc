// call: its target, and its arguments against the target's parameters.
#include <fmt/format.h>

#include "compiler/ptx/match.h"

namespace qgpu::ptx {
namespace {

class CallChecker {
 public:
  CallChecker(const Module& module, const Function& function, const Instruction& instruction,
              Complaint& complaint)
      : module_(module), function_(function), instruction_(instruction), complaint_(complaint) {}

  bool check() {
    const Operand& callee = instruction_.operands[1];
    const bool has_table = instruction_.operands.size() == 4;
    if (const auto* symbol = std::get_if<SymbolAddress>(&callee.value)) {
      return !has_table ? direct(*symbol, callee.position) : complaint_.say(callee.position, [] {
        return std::string("a direct call takes no table");
      });
    }
    const auto* reg = std::get_if<Register>(&callee.value);
    if (reg == nullptr || reg->negated || !has_table) {
      return complaint_.say(
          callee.position,
          [] { return std::string("call needs a function, or a register and a table"); },
          "name a .func that is declared before this line");
    }
    return indirect(*reg, callee.position);
  }

 private:
  bool direct(const SymbolAddress& symbol, Position where) {
    const bool is_function = symbol.symbol.kind == SymbolRef::Kind::Function && symbol.offset == 0;
    if (!is_function || module_.functions[symbol.symbol.index].is_entry) {
      return complaint_.say(where,
                            [] { return std::string("call needs a device function (.func)"); });
    }
    const Function& target = module_.functions[symbol.symbol.index];
    return list(instruction_.operands[0], target.results, target.name, "results", true) &&
           list(instruction_.operands[2], target.parameters, target.name, "arguments", false);
  }

  bool indirect(const Register& reg, Position where) {
    const Type type = function_.registers[reg.id].type;
    if (!fits(type, Type::B64, false) && !fits(type, Type::B32, false)) {
      return complaint_.say(where,
                            [] { return std::string("a function's address is an integer"); });
    }
    const Table& table = function_.tables[std::get<TableRef>(instruction_.operands[3].value).index];
    if (table.kind == Table::Kind::Prototype) {
      return list(instruction_.operands[0], table.results, table.name, "results", true) &&
             list(instruction_.operands[2], table.parameters, table.name, "arguments", false);
    }
    const Function& target = module_.functions[table.functions[0]];
    return list(instruction_.operands[0], target.results, target.name, "results", true) &&
           list(instruction_.operands[2], target.parameters, target.name, "arguments", false);
  }

  bool list(const Operand& operand, const std::vector<Variable>& formal, std::string_view name,
            std::string_view what, bool results) {
    const auto& actual = std::get<ArgumentList>(operand.value).elements;
    if (actual.size() != formal.size()) {
      return complaint_.say(operand.position, [&] {
        return fmt::format("`{}` has {} {}, not {}", name, formal.size(), what, actual.size());
      });
    }
    for (std::size_t i = 0; i < actual.size(); ++i) {
      if (!one(actual[i], formal[i], results)) return false;
    }
    return true;
  }

  // A .param variable of the same size, a register of the same width, or (for an argument) a
  // literal.
  bool one(const Operand& actual, const Variable& formal, bool result) {
    bool fine = false;
    if (const auto* symbol = std::get_if<SymbolAddress>(&actual.value)) {
      if (symbol->symbol.kind != SymbolRef::Kind::Function) {
        const Variable& variable = module_.variable(symbol->symbol, function_);
        fine = variable.space == Space::Param && formal.space == Space::Param &&
               symbol->offset == 0 && variable.type == formal.type && variable.size == formal.size;
      }
    } else if (const auto* reg = std::get_if<Register>(&actual.value)) {
      fine = !reg->negated && formal.dimensions.empty() &&
             fits(function_.registers[reg->id].type, formal.type, false);
    } else {
      fine =
          !result && formal.dimensions.empty() && std::holds_alternative<Immediate>(actual.value);
    }
    return fine || complaint_.say(actual.position, [&] {
      return fmt::format("this does not match parameter `{}` (.{} .{}, {} bytes)", formal.name,
                         spelling(formal.space), spelling(formal.type), formal.size);
    });
  }

  const Module& module_;
  const Function& function_;
  const Instruction& instruction_;
  Complaint& complaint_;
};

}  // namespace

bool checkCall(const Module& module, const Function& function, const Instruction& instruction,
               Complaint& complaint) {
  complaint.wanted = true;
  return CallChecker(module, function, instruction, complaint).check();
}

}  // namespace qgpu::ptx
