// .entry and .func: the signature, the performance directives, the body.
#include <limits>

#include <fmt/format.h>

#include "compiler/ptx/declaration.h"
#include "compiler/ptx/suggest.h"

namespace qgpu::ptx {
namespace {

constexpr std::size_t kMaxParameters = 4096;
constexpr std::uint64_t kMaxNumber = std::numeric_limits<std::uint32_t>::max();

struct DirectiveRule {
  std::string_view name;
  Directive::Kind kind;
  int most_values;  // 0: none follow
  bool entry_only = true;
};
constexpr DirectiveRule kDirectives[] = {
    {"maxntid", Directive::Kind::Maxntid, 3},
    {"reqntid", Directive::Kind::Reqntid, 3},
    {"minnctapersm", Directive::Kind::Minnctapersm, 1},
    {"maxnctapersm", Directive::Kind::Maxnctapersm, 1},
    {"maxnreg", Directive::Kind::Maxnreg, 1},
    {"maxclusterrank", Directive::Kind::Maxclusterrank, 1},
    {"reqnctapercluster", Directive::Kind::Reqnctapercluster, 3},
    {"explicitcluster", Directive::Kind::ExplicitCluster, 0},
    {"blocksareclusters", Directive::Kind::BlocksAreClusters, 0},
    {"noreturn", Directive::Kind::NoReturn, 0, false},
};

bool parseParameters(Context& context, std::vector<Variable>& parameters) {
  Cursor& cursor = context.cursor;
  if (!cursor.accept(TokenKind::OpenParen) || cursor.accept(TokenKind::CloseParen)) return true;
  do {
    parameters.emplace_back();
    if (parameters.size() > kMaxParameters) {
      return cursor.refuse(cursor.position(), "more than 4096 parameters");
    }
    if (!parseParameter(context, parameters.back(), true)) return false;
  } while (cursor.accept(TokenKind::Comma));
  return cursor.expect(TokenKind::CloseParen, "after the parameters");
}

bool parsePragma(Context& context, Function& function) {
  Cursor& cursor = context.cursor;
  do {
    std::string_view text;
    if (!cursor.expectString("a pragma", text)) return false;
    function.directives.push_back({Directive::Kind::Pragma, {}, std::string(text)});
  } while (cursor.accept(TokenKind::Comma));
  return cursor.expect(TokenKind::Semicolon, "after a pragma");
}

bool parseDirective(Context& context, Function& function) {
  Cursor& cursor = context.cursor;
  if (cursor.acceptWord("pragma")) return parsePragma(context, function);
  const Token token = cursor.token();
  for (const DirectiveRule& rule : kDirectives) {
    if (rule.name != token.text || (rule.entry_only && !function.is_entry)) continue;
    cursor.advance();
    Directive directive{rule.kind, {}, {}};
    for (int i = 0; i < rule.most_values && (i == 0 || cursor.accept(TokenKind::Comma)); ++i) {
      std::uint64_t value = 0;
      if (!cursor.expectInteger("a number", kMaxNumber, value)) return false;
      directive.values.push_back(static_cast<std::uint32_t>(value));
    }
    function.directives.push_back(std::move(directive));
    return true;
  }
  return cursor.refuse(token.position,
                       fmt::format("{} is not a directive of this function", quoteWord(token.text)),
                       suggestDirective(token.text));
}

bool checkEntryParameters(Cursor& cursor, const Function& function) {
  for (const Variable& parameter : function.parameters) {
    if (parameter.space != Space::Param) {
      return cursor.refuse(parameter.position, "a kernel's parameters are in .param space");
    }
    if (!parameter.dimensions.empty() && parameter.dimensions[0] == 0) {
      return cursor.refuse(parameter.position, "a kernel's parameter has no size", "give it one");
    }
  }
  return true;
}

// Names the parameters in the function's outermost scope.
bool declareParameters(Cursor& cursor, FunctionScope& scope, Function& function) {
  std::uint32_t index = 0;
  for (std::vector<Variable>* list : {&function.parameters, &function.results}) {
    for (Variable& parameter : *list) {
      const SymbolRef reference{SymbolRef::Kind::Parameter, index++};
      // The lists no longer grow, so a view of the name stays valid.
      const std::string_view name = parameter.name;
      if (name.empty()) continue;
      const bool in_register = parameter.space == Space::Reg;
      const bool fresh = in_register ? scope.declareRegister(name, parameter.type, parameter.vector,
                                                             parameter.position)
                                     : scope.declareSymbol(name, reference);
      if (!fresh) {
        return cursor.refuse(parameter.position, fmt::format("{} is declared already", quote(name)),
                             "rename one of the parameters");
      }
      if (in_register) {
        parameter.reg = scope.use(scope.find(name));
      } else {
        scope.reserve(name);
      }
    }
  }
  return true;
}

bool sameShape(const std::vector<Variable>& a, const std::vector<Variable>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].type != b[i].type || a[i].dimensions != b[i].dimensions || a[i].space != b[i].space) {
      return false;
    }
  }
  return true;
}

// Finds the function's place in the module: that of an earlier prototype, or a new one.
bool placeFunction(Context& context, std::string_view name, const Function& function,
                   std::uint32_t& index) {
  Cursor& cursor = context.cursor;
  const SymbolRef* before = context.find(name);
  if (before == nullptr) {
    if (context.module.functions.size() == kMaxFunctions) {
      return cursor.refuse(function.position, "more than 4096 functions", "split the file");
    }
    index = static_cast<std::uint32_t>(context.module.functions.size());
    context.module.functions.emplace_back();
    context.names.emplace(name, SymbolRef{SymbolRef::Kind::Function, index});
    return true;
  }
  if (before->kind != SymbolRef::Kind::Function) {
    return cursor.refuse(function.position, fmt::format("{} is a variable already", quote(name)),
                         "rename one of them");
  }
  index = before->index;
  const Function& prototype = context.module.functions[index];
  if (prototype.has_body && function.has_body) {
    return cursor.refuse(function.position,
                         fmt::format("function {} is defined twice", quote(name)),
                         "rename one of them");
  }
  if (prototype.is_entry != function.is_entry ||
      !sameShape(prototype.parameters, function.parameters) ||
      !sameShape(prototype.results, function.results)) {
    return cursor.refuse(function.position,
                         fmt::format("{} differs from its earlier declaration", quote(name)),
                         "give both the same parameters");
  }
  return true;
}

bool parseSignature(Context& context, Function& function, std::string_view& name) {
  Cursor& cursor = context.cursor;
  function.is_entry = cursor.atWord("entry");
  cursor.advance();
  if (!function.is_entry && !parseParameters(context, function.results)) return false;
  function.position = cursor.position();
  if (!cursor.expectName("a function name", name) ||
      !parseParameters(context, function.parameters)) {
    return false;
  }
  function.name = name;
  while (cursor.at(TokenKind::Word)) {
    if (!parseDirective(context, function)) return false;
  }
  return !function.is_entry || checkEntryParameters(cursor, function);
}

}  // namespace

bool parseFunction(Context& context, Linkage linkage) {
  Cursor& cursor = context.cursor;
  Function function;
  function.linkage = linkage;
  std::string_view name;
  std::uint32_t index = 0;
  if (!parseSignature(context, function, name)) return false;
  function.has_body = cursor.at(TokenKind::OpenBrace);
  if (function.has_body && linkage == Linkage::Extern) {
    return cursor.refuse(function.position, "an .extern function has no body", "remove .extern");
  }
  if (!placeFunction(context, name, function, index)) return false;
  if (!function.has_body) {
    if (!cursor.expect(TokenKind::Semicolon, "or a body after a function's parameters"))
      return false;
    Function& known = context.module.functions[index];
    if (!known.has_body) known = std::move(function);
    return true;
  }
  cursor.advance();
  context.module.functions[index] = function;  // so that the body can call itself
  FunctionScope scope(function, &context, [](const void* names, std::string_view text) {
    return static_cast<const Context*>(names)->find(text) != nullptr;
  });
  context.source = kNoSource;
  if (!declareParameters(cursor, scope, function) || !parseBody(context, scope, function))
    return false;
  context.module.functions[index] = std::move(function);
  return true;
}

}  // namespace qgpu::ptx
