// One instruction: guard, opcode, modifiers, operands; then its form.
#include <array>

#include <fmt/format.h>

#include "compiler/ptx/match.h"
#include "compiler/ptx/operand.h"
#include "compiler/ptx/suggest.h"

namespace qgpu::ptx {
namespace {

constexpr std::size_t kMaxModifiers = 16;
constexpr std::size_t kMaxOperands = 8;
constexpr std::size_t kMaxArguments = 4096;

class InstructionParser {
 public:
  InstructionParser(Context& context, FunctionScope& scope, Function& function)
      : context_(context),
        cursor_(context.cursor),
        scope_(scope),
        function_(function),
        operands_(context, scope) {}

  bool parse() {
    if (++context_.instructions > kMaxInstructions) {
      return cursor_.refuse(cursor_.position(), "more than 1048576 instructions", "split the file");
    }
    instruction_.position = cursor_.position();
    instruction_.source = context_.source;
    if (!guard() || !opcode() || !modifiers() || !operands() ||
        !cursor_.expect(TokenKind::Semicolon, "at the end of an instruction") || !match()) {
      return false;
    }
    function_.body.push_back(std::move(instruction_));
    return true;
  }

 private:
  bool guard() {
    if (!cursor_.accept(TokenKind::At)) return true;
    Guard guard;
    guard.negated = cursor_.accept(TokenKind::Bang);
    const Position where = cursor_.position();
    if (!operands_.parseRegister(guard.reg)) return false;
    const RegisterInfo& reg = function_.registers[guard.reg];
    if (reg.type != Type::Pred) {
      return cursor_.refuse(
          where, fmt::format("{} is .{}; a guard is a predicate", reg.name, spelling(reg.type)),
          "compare it with setp and guard with the result");
    }
    instruction_.guard = guard;
    instruction_.position = cursor_.position();
    return true;
  }

  bool opcode() {
    if (!cursor_.at(TokenKind::Identifier)) return cursor_.refuseToken("an instruction");
    const Token& token = cursor_.token();
    const OpcodeName found = findOpcode(token.text);
    switch (found.kind) {
      case OpcodeName::Kind::Known:
        instruction_.opcode = found.opcode;
        cursor_.advance();
        return true;
      case OpcodeName::Kind::Family:
        return cursor_.refuse(
            token.position,
            fmt::format("{}: {} are not supported", quote(token.text), found.family),
            "use plain loads, stores and arithmetic");
      case OpcodeName::Kind::Unknown: break;
    }
    return cursor_.refuse(token.position, fmt::format("unknown instruction {}", quote(token.text)),
                          suggestOpcode(token.text));
  }

  bool modifiers() {
    while (cursor_.at(TokenKind::Word)) {
      const Token& token = cursor_.token();
      const Modifier* modifier = findModifier(token.text);
      if (modifier == nullptr) {
        return cursor_.refuse(token.position,
                              fmt::format("unknown modifier {}", quoteWord(token.text)),
                              suggestModifier(token.text));
      }
      if (modifier_count_ == kMaxModifiers) {
        return cursor_.refuse(token.position, "more than 16 modifiers");
      }
      modifiers_[modifier_count_++] = {modifier, token.position};
      cursor_.advance();
    }
    return true;
  }

  bool operands() {
    if (instruction_.opcode == Opcode::Call) return call();
    if (instruction_.opcode == Opcode::Bra) return label();
    if (cursor_.at(TokenKind::Semicolon)) return true;
    instruction_.operands.reserve(4);
    do {
      if (instruction_.operands.size() == kMaxOperands) {
        return cursor_.refuse(cursor_.position(), "more than 8 operands");
      }
      instruction_.operands.emplace_back();
      Operand& operand = instruction_.operands.back();
      const bool is_table = instruction_.opcode == Opcode::Brx && instruction_.operands.size() == 2;
      if (!(is_table ? table(operand, Table::Kind::Branch) : operands_.parse(operand)))
        return false;
    } while (cursor_.accept(TokenKind::Comma));
    return true;
  }

  bool label() {
    const Position where = cursor_.position();
    std::string_view name;
    if (!cursor_.expectName("a label", name)) return false;
    const Symbol::Kind kind = scope_.find(name).kind;
    if (kind == Symbol::Kind::Register || kind == Symbol::Kind::Variable ||
        kind == Symbol::Kind::Table) {
      return cursor_.refuse(where, fmt::format("{} is not a label", quote(name)),
                            "branch to a label of this function");
    }
    scope_.refer({.name = name,
                  .position = where,
                  .owner = static_cast<std::uint32_t>(function_.body.size())});
    instruction_.operands.push_back({LabelRef{}, where});
    return true;
  }

  // The name of a table that stands before this line.
  bool table(Operand& operand, Table::Kind kind) {
    operand.position = cursor_.position();
    std::string_view name;
    if (!cursor_.expectName("a list of targets", name)) return false;
    const Symbol symbol = scope_.find(name);
    const bool is_branch = kind == Table::Kind::Branch;
    if (symbol.kind != Symbol::Kind::Table ||
        (function_.tables[symbol.number].kind == Table::Kind::Branch) != is_branch) {
      return cursor_.refuse(
          operand.position, fmt::format("{} is not a list of targets", quote(name)),
          is_branch ? "write NAME: .branchtargets A, B; before this line"
                    : "write NAME: .callprototype ... or .calltargets ... before");
    }
    operand.value = TableRef{symbol.number};
    return true;
  }

  // call [(results),] callee [, (arguments)] [, table]
  bool call() {
    Operand results{ArgumentList{}, cursor_.position()};
    if (cursor_.at(TokenKind::OpenParen) &&
        (!arguments(results) || !cursor_.expect(TokenKind::Comma, "before the function called"))) {
      return false;
    }
    Operand callee;
    if (!operands_.parse(callee)) return false;
    Operand list{ArgumentList{}, cursor_.position()};
    Operand targets;
    bool has_table = false;
    while (cursor_.accept(TokenKind::Comma)) {
      if (cursor_.at(TokenKind::OpenParen) && !has_list_) {
        has_list_ = true;
        if (!arguments(list)) return false;
      } else {
        has_table = true;
        if (!table(targets, Table::Kind::Prototype)) return false;
        break;
      }
    }
    instruction_.operands = {std::move(results), std::move(callee), std::move(list)};
    if (has_table) instruction_.operands.push_back(std::move(targets));
    return true;
  }

  bool arguments(Operand& result) {
    cursor_.advance();
    ArgumentList list;
    while (!cursor_.at(TokenKind::CloseParen)) {
      if (!list.elements.empty() && !cursor_.expect(TokenKind::Comma, "between two arguments"))
        return false;
      if (list.elements.size() == kMaxArguments) {
        return cursor_.refuse(cursor_.position(), "more than 4096 arguments");
      }
      list.elements.emplace_back();
      if (!operands_.parse(list.elements.back())) return false;
    }
    cursor_.advance();
    result.value = std::move(list);
    return true;
  }

  bool match() {
    Complaint complaint;
    const std::span<const Written> written(modifiers_.data(), modifier_count_);
    const bool fine = matchForm(written, context_.module, function_, instruction_, complaint) &&
                      (instruction_.opcode != Opcode::Call ||
                       checkCall(context_.module, function_, instruction_, complaint));
    return fine || cursor_.refuse(complaint.position, std::move(complaint.message),
                                  std::move(complaint.hint));
  }

  Context& context_;
  Cursor& cursor_;
  FunctionScope& scope_;
  Function& function_;
  OperandParser operands_;
  Instruction instruction_;
  std::array<Written, kMaxModifiers> modifiers_{};
  std::size_t modifier_count_ = 0;
  bool has_list_ = false;
};

}  // namespace

bool parseInstruction(Context& context, FunctionScope& scope, Function& function) {
  return InstructionParser(context, scope, function).parse();
}

}  // namespace qgpu::ptx
