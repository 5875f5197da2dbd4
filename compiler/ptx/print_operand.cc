#include "compiler/ptx/print_operand.h"

#include <limits>

#include <fmt/format.h>

#include "compiler/ptx/form.h"
#include "compiler/ptx/special.h"

namespace qgpu::ptx {
namespace {

// The cast keeps -2^63 signed: its digits alone are too large for a signed literal.
std::string integer(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) return "(.s64)0x8000000000000000";
  return fmt::format("{}", value);
}

std::string literal(const Immediate& immediate) {
  switch (immediate.kind) {
    case Immediate::Kind::Signed: return integer(static_cast<std::int64_t>(immediate.bits));
    case Immediate::Kind::Unsigned: return fmt::format("{}U", immediate.bits);
    case Immediate::Kind::Float32: return fmt::format("0f{:08X}", immediate.bits);
    case Immediate::Kind::Float64: return fmt::format("0d{:016X}", immediate.bits);
  }
  return {};
}

std::string withOffset(std::string base, std::int64_t offset) {
  if (offset != 0) base.append("+").append(integer(offset));
  return base;
}

}  // namespace

std::string OperandPrinter::reg(RegisterId id) const {
  return id == kNoRegister ? "_" : function_->registers[id].name;
}

std::string OperandPrinter::symbol(const SymbolRef& symbol, std::int64_t offset) const {
  switch (symbol.kind) {
    case SymbolRef::Kind::ModuleVariable:
      return withOffset(module_.variables[symbol.index].name, offset);
    case SymbolRef::Kind::LocalVariable:
      return withOffset(function_->variables[symbol.index].name, offset);
    case SymbolRef::Kind::Parameter:
      return withOffset(function_->parameter(symbol.index).name, offset);
    case SymbolRef::Kind::Function: return withOffset(module_.functions[symbol.index].name, offset);
  }
  return {};
}

std::string OperandPrinter::list(const std::vector<Operand>& operands) const {
  std::string text;
  for (const Operand& o : operands) {
    if (!text.empty()) text += ", ";
    text += operand(o);
  }
  return text;
}

std::string OperandPrinter::operand(const Operand& operand) const {
  struct Visitor {
    const OperandPrinter& printer;

    std::string operator()(const Register& r) const {
      return fmt::format("{}{}", r.negated ? "!" : "", printer.reg(r.id));
    }
    std::string operator()(const Immediate& i) const { return literal(i); }
    std::string operator()(const Address& a) const {
      if (const auto* id = std::get_if<RegisterId>(&a.base)) {
        return fmt::format("[{}]", withOffset(printer.reg(*id), a.offset));
      }
      if (const auto* s = std::get_if<SymbolRef>(&a.base)) {
        return fmt::format("[{}]", printer.symbol(*s, a.offset));
      }
      return fmt::format("[{}]", integer(a.offset));
    }
    std::string operator()(const SymbolAddress& s) const {
      return printer.symbol(s.symbol, s.offset);
    }
    std::string operator()(const SpecialRegister& s) const { return spelling(s); }
    std::string operator()(const RegisterPair& p) const {
      return fmt::format("{}|{}", printer.reg(p.first), printer.reg(p.second));
    }
    std::string operator()(const VectorOperand& v) const {
      return fmt::format("{{{}}}", printer.list(v.elements));
    }
    std::string operator()(const ArgumentList& l) const {
      return fmt::format("({})", printer.list(l.elements));
    }
    std::string operator()(const LabelRef& l) const { return printer.function_->labels[l.id].name; }
    std::string operator()(const TableRef& t) const {
      return printer.function_->tables[t.index].name;
    }
    std::string operator()(const Sink&) const { return "_"; }
  };
  return std::visit(Visitor{*this}, operand.value);
}

std::string OperandPrinter::call(const Instruction& i) const {
  std::string text = " ";
  if (!std::get<ArgumentList>(i.operands[0].value).elements.empty())
    text += fmt::format("{}, ", operand(i.operands[0]));
  text += operand(i.operands[1]);
  const bool has_table = i.operands.size() > 3;
  if (has_table || !std::get<ArgumentList>(i.operands[2].value).elements.empty()) {
    text += fmt::format(", {}", operand(i.operands[2]));
  }
  if (has_table) text += fmt::format(", {}", operand(i.operands[3]));
  return text;
}

std::string OperandPrinter::instruction(const Instruction& i) const {
  std::string text;
  if (i.guard.present()) text = fmt::format("@{}{} ", i.guard.negated ? "!" : "", reg(i.guard.reg));
  text += spelling(i.opcode);
  const ModifierSet set = modifiersOf(i);
  for (const ModifierRule& rule : forms()[i.form].modifiers) {
    if (rule.is_flag) {
      if (set.flags.has(rule.flag)) text += fmt::format(".{}", spelling(rule.flag));
    } else if (set[rule.field] != 0) {
      text += fmt::format(".{}", spelling(rule.field, set[rule.field]));
    }
  }
  if (i.opcode == Opcode::Call) return text + call(i) + ";";
  if (!i.operands.empty()) text.append(" ").append(list(i.operands));
  return text + ";";
}

}  // namespace qgpu::ptx
