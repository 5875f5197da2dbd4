// What stands between a function's braces: declarations, labels, scopes, instructions.
#include <fmt/format.h>

#include "compiler/ptx/declaration.h"
#include "compiler/ptx/suggest.h"

namespace qgpu::ptx {
namespace {

constexpr std::size_t kMaxPrototypeParameters = 4096;

class Body {
 public:
  Body(Context& context, FunctionScope& scope, Function& function)
      : context_(context), cursor_(context.cursor), scope_(scope), function_(function) {}

  bool parse() {
    for (;;) {
      if (cursor_.at(TokenKind::CloseBrace) && scope_.atTop()) break;
      if (!statement()) return false;
    }
    if (const LabelUse* missing = scope_.resolveLabels()) {
      // The failure's source line is the branch's, not the last one of the function.
      context_.source = missing->in_table ? kNoSource : function_.body[missing->owner].source;
      return cursor_.refuse(missing->position,
                            fmt::format("no label {} in this function", quote(missing->name)),
                            "a branch stays in its function and cannot enter a `{ }` scope");
    }
    cursor_.advance();
    return true;
  }

 private:
  bool statement() {
    switch (cursor_.token().kind) {
      case TokenKind::Identifier:
        if (cursor_.ahead().kind == TokenKind::Colon) return label();
        return parseInstruction(context_, scope_, function_);
      case TokenKind::At: return parseInstruction(context_, scope_, function_);
      case TokenKind::Word: return directive();
      case TokenKind::OpenBrace:
        if (!scope_.open()) {
          return cursor_.refuse(cursor_.position(), "more than 64 nested scopes",
                                "remove inner `{ }`");
        }
        cursor_.advance();
        return true;
      case TokenKind::CloseBrace:
        scope_.close();
        cursor_.advance();
        return true;
      default: return cursor_.refuseToken("an instruction, a label, a directive or `}`");
    }
  }

  bool directive() {
    if (cursor_.acceptWord("loc")) return parseLoc(context_);
    if (cursor_.acceptWord("pragma")) return pragma();
    if (cursor_.acceptWord("file")) return parseFile(context_);
    if (cursor_.acceptWord("section")) return parseSection(context_);
    if (declaredSpace(cursor_.token())) return declaration();
    return cursor_.refuse(
        cursor_.position(),
        fmt::format("{} is not a directive of a function's body", quoteWord(cursor_.token().text)),
        suggestDirective(cursor_.token().text));
  }

  bool declaration() {
    Specification specification;
    if (!parseSpecification(context_, specification)) return false;
    if (specification.space == Space::Reg) return parseRegisters(context_, specification, scope_);
    return parseVariables(context_, Linkage::None, specification, &scope_, &function_);
  }

  bool pragma() {
    do {
      std::string_view text;
      if (!cursor_.expectString("a pragma", text)) return false;
      function_.pragmas.push_back(
          {static_cast<std::uint32_t>(function_.body.size()), std::string(text)});
    } while (cursor_.accept(TokenKind::Comma));
    return cursor_.expect(TokenKind::Semicolon, "after a pragma");
  }

  bool label() {
    const Token name = cursor_.token();
    cursor_.advance();
    cursor_.advance();
    bool fresh = false;
    if (cursor_.atWord("branchtargets") || cursor_.atWord("calltargets") ||
        cursor_.atWord("callprototype")) {
      fresh = scope_.declareTable(name.text, static_cast<std::uint32_t>(function_.tables.size()));
      if (fresh) return table(name.text);
    } else {
      fresh = scope_.declareLabel(name.text, name.position);
    }
    if (fresh) return true;
    return cursor_.refuse(name.position, fmt::format("{} is declared already", quote(name.text)),
                          "rename one of them");
  }

  bool table(std::string_view name) {
    function_.tables.emplace_back();
    function_.tables.back().name = scope_.uniqueName(name);
    bool read = false;
    if (cursor_.acceptWord("branchtargets")) {
      read = branchTargets();
    } else if (cursor_.acceptWord("calltargets")) {
      read = callTargets();
    } else {
      cursor_.advance();
      read = prototype();
    }
    return read && cursor_.expect(TokenKind::Semicolon, "after a table");
  }

  bool branchTargets() {
    Table& table = function_.tables.back();
    table.kind = Table::Kind::Branch;
    do {
      const Position where = cursor_.position();
      std::string_view target;
      if (!cursor_.expectName("a label", target)) return false;
      scope_.refer({.name = target,
                    .position = where,
                    .in_table = true,
                    .owner = static_cast<std::uint32_t>(function_.tables.size() - 1),
                    .entry = static_cast<std::uint32_t>(table.labels.size())});
      table.labels.push_back(0);
    } while (cursor_.accept(TokenKind::Comma));
    return true;
  }

  bool callTargets() {
    Table& table = function_.tables.back();
    table.kind = Table::Kind::Call;
    do {
      const Position where = cursor_.position();
      std::string_view target;
      if (!cursor_.expectName("a function", target)) return false;
      const SymbolRef* function = context_.find(target);
      if (function == nullptr || function->kind != SymbolRef::Kind::Function ||
          context_.module.functions[function->index].is_entry) {
        return cursor_.refuse(where, fmt::format("{} is not a device function", quote(target)),
                              "declare the .func before this line");
      }
      table.functions.push_back(function->index);
    } while (cursor_.accept(TokenKind::Comma));
    return true;
  }

  // `[(results)] _ [(parameters)] [.noreturn]`
  bool prototype() {
    Table& table = function_.tables.back();
    table.kind = Table::Kind::Prototype;
    if (!parameters(table.results) ||
        !cursor_.expect(TokenKind::Underscore, "in place of a function's name") ||
        !parameters(table.parameters)) {
      return false;
    }
    cursor_.acceptWord("noreturn");
    return true;
  }

  bool parameters(std::vector<Variable>& list) {
    if (!cursor_.accept(TokenKind::OpenParen) || cursor_.accept(TokenKind::CloseParen)) return true;
    do {
      list.emplace_back();
      if (!parseParameter(context_, list.back(), true)) return false;
    } while (list.size() < kMaxPrototypeParameters && cursor_.accept(TokenKind::Comma));
    return cursor_.expect(TokenKind::CloseParen, "after the parameters");
  }

  Context& context_;
  Cursor& cursor_;
  FunctionScope& scope_;
  Function& function_;
};

}  // namespace

bool parseBody(Context& context, FunctionScope& scope, Function& function) {
  return Body(context, scope, function).parse();
}

}  // namespace qgpu::ptx
