#include "compiler/ptx/declaration.h"

#include <fmt/format.h>

#include "compiler/ptx/form.h"

namespace qgpu::ptx {
namespace {

constexpr std::size_t kMaxDimensions = 16;
constexpr int kMaxAlignment = 1 << 20;

// The type named by the current token, which is stepped over.
bool parseType(Cursor& cursor, Type& type) {
  const Modifier* modifier =
      cursor.at(TokenKind::Word) ? findModifier(cursor.token().text) : nullptr;
  if (modifier == nullptr || !modifier->is_type) return cursor.refuseToken("a type");
  type = static_cast<Type>(modifier->meanings[0].value);
  cursor.advance();
  return true;
}

bool parseAlignment(Cursor& cursor, int& alignment) {
  const Position where = cursor.position();
  std::uint64_t value = 0;
  if (!cursor.expectInteger("an alignment", kMaxAlignment, value)) return false;
  if (value == 0 || (value & (value - 1)) != 0) {
    return cursor.refuse(where, "an alignment is a power of two");
  }
  alignment = static_cast<int>(value);
  return true;
}

// .attribute(.managed, .unified(1, 2)): only the first matters here.
bool parseAttributes(Cursor& cursor, bool& managed) {
  if (!cursor.expect(TokenKind::OpenParen, "after .attribute")) return false;
  do {
    if (cursor.acceptWord("managed")) {
      managed = true;
    } else if (cursor.acceptWord("unified")) {
      std::uint64_t ignored = 0;
      if (!cursor.expect(TokenKind::OpenParen, "after .unified") ||
          !cursor.expectInteger("a number", ~std::uint64_t{0}, ignored) ||
          !cursor.expect(TokenKind::Comma, "between two numbers") ||
          !cursor.expectInteger("a number", ~std::uint64_t{0}, ignored) ||
          !cursor.expect(TokenKind::CloseParen, "after .unified")) {
        return false;
      }
    } else {
      return cursor.refuseToken("an attribute (.managed or .unified)");
    }
  } while (cursor.accept(TokenKind::Comma));
  return cursor.expect(TokenKind::CloseParen, "after the attributes");
}

// .ptr .global .align 16, each part optional.
bool parsePointer(Cursor& cursor, PointerAttributes& pointer) {
  for (const Space space : {Space::Global, Space::Shared, Space::Const, Space::Local}) {
    if (cursor.acceptWord(spelling(space))) {
      pointer.space = space;
      break;
    }
  }
  return !cursor.acceptWord("align") || parseAlignment(cursor, pointer.alignment);
}

bool parseDimensions(Cursor& cursor, Variable& variable) {
  while (cursor.accept(TokenKind::OpenBracket)) {
    const Position where = cursor.position();
    std::uint64_t count = 0;
    const bool open = variable.dimensions.empty() && cursor.at(TokenKind::CloseBracket);
    if (!open && !cursor.expectInteger("an array size", kMaxVariableBytes, count)) return false;
    if (!open && count == 0 && !variable.dimensions.empty()) {
      return cursor.refuse(where, "an inner array dimension is zero");
    }
    if (!cursor.expect(TokenKind::CloseBracket, "after an array size")) return false;
    variable.dimensions.push_back(count);
    if (variable.dimensions.size() > kMaxDimensions) {
      return cursor.refuse(where, "an array has more than 16 dimensions");
    }
  }
  return true;
}

bool computeSize(Cursor& cursor, Variable& variable) {
  std::uint64_t size = elementBytes(variable);
  for (const std::uint64_t dimension : variable.dimensions) {
    if (dimension > kMaxVariableBytes / size) {
      return cursor.refuse(variable.position,
                           fmt::format("{} is larger than 2^40 bytes", quote(variable.name)));
    }
    size *= dimension;
    if (size == 0) break;
  }
  variable.size = size;
  return true;
}

Variable makeVariable(const Specification& specification) {
  Variable variable;
  variable.space = specification.space;
  variable.type = specification.type;
  variable.vector = specification.vector;
  variable.managed = specification.managed;
  variable.is_pointer = specification.is_pointer;
  variable.pointer = specification.pointer;
  variable.alignment = specification.alignment != 0 ? specification.alignment
                                                    : static_cast<int>(elementBytes(variable));
  return variable;
}

bool checkSpace(Context& context, const Variable& variable, Linkage linkage, bool in_function) {
  Cursor& cursor = context.cursor;
  const Space space = variable.space;
  if (!in_function && (space == Space::Local || space == Space::Param || space == Space::Reg)) {
    return cursor.refuse(variable.position,
                         fmt::format(".{} variables stand inside functions", spelling(space)),
                         "move the declaration into the function that uses it");
  }
  if (linkage == Linkage::Common && space != Space::Global) {
    return cursor.refuse(variable.position, ".common variables are in .global space");
  }
  return true;
}

// What holds for a variable once all of it was read.
bool checkComplete(Context& context, const Variable& variable) {
  const bool open = !variable.dimensions.empty() && variable.dimensions[0] == 0;
  if (open && variable.linkage != Linkage::Extern) {
    return context.cursor.refuse(variable.position,
                                 fmt::format("{} has no size", quote(variable.name)),
                                 "give it one; only `.extern .shared x[]` may leave it open");
  }
  return true;
}

bool mayRedeclare(const Variable& before, const Variable& now) {
  return before.linkage == Linkage::Extern && now.linkage != Linkage::None &&
         before.space == now.space && before.type == now.type;
}

bool addToModule(Context& context, Variable variable) {
  const auto index = static_cast<std::uint32_t>(context.module.variables.size());
  const SymbolRef reference{SymbolRef::Kind::ModuleVariable, index};
  const Position where = variable.position;
  const SymbolRef* before = context.find(variable.name);
  if (before == nullptr) {
    context.module.variables.push_back(std::move(variable));
    return true;
  }
  if (before->kind == reference.kind &&
      mayRedeclare(context.module.variables[before->index], variable)) {
    context.module.variables[before->index] = std::move(variable);
    return true;
  }
  return context.cursor.refuse(where, fmt::format("{} is declared already", quote(variable.name)),
                               "rename one of them");
}

}  // namespace

std::uint64_t elementBytes(const Variable& variable) {
  return static_cast<std::uint64_t>(bitWidth(variable.type) / 8) *
         static_cast<std::uint64_t>(elements(variable.vector));
}

std::optional<Space> declaredSpace(const Token& token) {
  if (token.kind != TokenKind::Word) return std::nullopt;
  for (const Space space :
       {Space::Reg, Space::Const, Space::Global, Space::Local, Space::Param, Space::Shared}) {
    if (token.text == spelling(space)) return space;
  }
  return std::nullopt;
}

bool parseSpecification(Context& context, Specification& result) {
  Cursor& cursor = context.cursor;
  result.position = cursor.position();
  const auto space = declaredSpace(cursor.token());
  if (!space) return cursor.refuseToken("a state space (.reg, .param, .global, .shared ...)");
  result.space = *space;
  cursor.advance();
  for (;;) {
    if (cursor.acceptWord("align")) {
      if (!parseAlignment(cursor, result.alignment)) return false;
    } else if (cursor.acceptWord("attribute")) {
      if (!parseAttributes(cursor, result.managed)) return false;
    } else if (cursor.acceptWord("v2")) {
      result.vector = Vector::V2;
    } else if (cursor.acceptWord("v4")) {
      result.vector = Vector::V4;
    } else {
      break;
    }
  }
  const Position where = cursor.position();
  if (!parseType(cursor, result.type)) return false;
  if (result.type == Type::Pred && result.space != Space::Reg) {
    return cursor.refuse(where, "predicates live in registers only",
                         "keep a .u8 or .u32 in memory and test it with setp");
  }
  if (cursor.acceptWord("ptr")) {
    result.is_pointer = true;
    if (!parsePointer(cursor, result.pointer)) return false;
  }
  return true;
}

bool parseRegisters(Context& context, const Specification& specification, FunctionScope& scope) {
  Cursor& cursor = context.cursor;
  do {
    const Position where = cursor.position();
    std::string_view name;
    if (!cursor.expectName("a register name", name)) return false;
    bool fresh = false;
    if (cursor.accept(TokenKind::Less)) {
      std::uint64_t count = 0;
      if (!cursor.expectInteger("a number of registers", kMaxRange, count) ||
          !cursor.expect(TokenKind::Greater, "after a number of registers")) {
        return false;
      }
      fresh = scope.declareRange(name, count, specification.type, specification.vector, where);
    } else {
      fresh = scope.declareRegister(name, specification.type, specification.vector, where);
    }
    if (!fresh) {
      return cursor.refuse(where, fmt::format("{} is declared already", quote(name)),
                           "rename one of them, or put it into a scope `{ }` of its own");
    }
    if (cursor.at(TokenKind::OpenBracket)) {
      return cursor.refuse(cursor.position(), "registers cannot form an array",
                           "declare them as name<N>");
    }
  } while (cursor.accept(TokenKind::Comma));
  return cursor.expect(TokenKind::Semicolon, "after a declaration");
}

bool parseVariables(Context& context, Linkage linkage, const Specification& specification,
                    FunctionScope* scope, Function* function) {
  Cursor& cursor = context.cursor;
  do {
    Variable variable = makeVariable(specification);
    variable.linkage = linkage;
    variable.position = cursor.position();
    std::string_view name;
    if (!cursor.expectName("a variable name", name)) return false;
    if (++context.variables > kMaxVariables) {
      return cursor.refuse(variable.position, "more than 65536 variables", "use arrays");
    }
    variable.name = name;
    if (!checkSpace(context, variable, linkage, scope != nullptr) ||
        !parseDimensions(cursor, variable) || !computeSize(cursor, variable) ||
        (cursor.at(TokenKind::Equals) && !parseInitialiser(context, scope, variable)) ||
        !checkComplete(context, variable)) {
      return false;
    }
    if (scope == nullptr) {
      if (!addToModule(context, variable)) return false;
      const auto index = static_cast<std::uint32_t>(context.module.variables.size() - 1);
      context.names.try_emplace(name, SymbolRef{SymbolRef::Kind::ModuleVariable, index});
      continue;
    }
    const auto index = static_cast<std::uint32_t>(function->variables.size());
    if (!scope->declareSymbol(name, {SymbolRef::Kind::LocalVariable, index})) {
      return cursor.refuse(variable.position, fmt::format("{} is declared already", quote(name)),
                           "rename one of them, or put it into a scope `{ }` of its own");
    }
    variable.name = scope->uniqueName(name);
    function->variables.push_back(std::move(variable));
  } while (cursor.accept(TokenKind::Comma));
  return cursor.expect(TokenKind::Semicolon, "after a declaration");
}

bool parseParameter(Context& context, Variable& result, bool anonymous) {
  Cursor& cursor = context.cursor;
  Specification specification;
  if (!parseSpecification(context, specification)) return false;
  if (specification.space != Space::Param && specification.space != Space::Reg) {
    return cursor.refuse(specification.position, "a parameter is in .param or .reg space");
  }
  result = makeVariable(specification);
  result.position = cursor.position();
  std::string_view name;
  if (anonymous && cursor.at(TokenKind::Underscore)) {
    cursor.advance();
  } else if (!cursor.expectName("a parameter name", name)) {
    return false;
  }
  result.name = name;
  if (result.space == Space::Reg && cursor.at(TokenKind::OpenBracket)) {
    return cursor.refuse(result.position, "a parameter in a register cannot be an array");
  }
  return parseDimensions(cursor, result) && computeSize(cursor, result);
}

}  // namespace qgpu::ptx
