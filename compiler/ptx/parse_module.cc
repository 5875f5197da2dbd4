// File scope: the header, variables, functions, debugging directives.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "compiler/ptx/declaration.h"
#include "compiler/ptx/suggest.h"

namespace qgpu::ptx {
namespace {

constexpr std::uint64_t kMaxNumber = std::numeric_limits<std::int32_t>::max();

// ".version 8.7": the lexer reads 8.7 as one number, so the parts come from its text.
bool parseVersion(Context& context) {
  Cursor& cursor = context.cursor;
  if (!cursor.acceptWord("version")) {
    return cursor.refuseToken("`.version N.N` at the start of the file");
  }
  const std::string_view text = cursor.token().text;
  const std::size_t dot = text.find('.');
  const bool number = cursor.at(TokenKind::Float64) && dot != std::string_view::npos && dot <= 3 &&
                      text.size() <= dot + 4 && text.size() > dot + 1 &&
                      text.find_first_not_of("0123456789.") == std::string_view::npos;
  if (!number) return cursor.refuseToken("a version such as 8.7");
  for (const char c : text.substr(0, dot)) {
    context.module.version_major = context.module.version_major * 10 + (c - '0');
  }
  for (const char c : text.substr(dot + 1)) {
    context.module.version_minor = context.module.version_minor * 10 + (c - '0');
  }
  cursor.advance();
  return true;
}

bool isArchitecture(std::string_view name) {
  if (!name.starts_with("sm_") && !name.starts_with("compute_")) return false;
  std::string_view digits = name.substr(name.find('_') + 1);
  if (digits.ends_with('a') || digits.ends_with('f')) digits.remove_suffix(1);
  return !digits.empty() && digits.size() <= 3 &&
         digits.find_first_not_of("0123456789") == std::string_view::npos;
}

bool parseTarget(Context& context) {
  Cursor& cursor = context.cursor;
  if (!cursor.acceptWord("target")) return cursor.refuseToken("`.target sm_NN` after .version");
  do {
    const Position where = cursor.position();
    std::string_view name;
    if (!cursor.expectName("a target such as sm_75", name)) return false;
    const bool known = isArchitecture(name) || name == "debug" || name == "map_f64_to_f32" ||
                       name == "texmode_unified" || name == "texmode_independent";
    if (!known) {
      return cursor.refuse(where, fmt::format("unknown target {}", quote(name)),
                           "a target is sm_NN, debug, map_f64_to_f32 or a texmode");
    }
    context.module.targets.emplace_back(name);
  } while (cursor.accept(TokenKind::Comma));
  return std::any_of(context.module.targets.begin(), context.module.targets.end(),
                     isArchitecture) ||
         cursor.refuseToken("an architecture such as sm_75 in .target");
}

bool parseAddressSize(Context& context) {
  Cursor& cursor = context.cursor;
  if (!cursor.acceptWord("address_size")) return true;
  const Position where = cursor.position();
  std::uint64_t bits = 0;
  if (!cursor.expectInteger("32 or 64", kMaxNumber, bits)) return false;
  if (bits != 32 && bits != 64) return cursor.refuse(where, "an address size is 32 or 64");
  context.module.address_size = static_cast<int>(bits);
  return true;
}

Linkage parseLinkage(Cursor& cursor) {
  if (cursor.acceptWord("extern")) return Linkage::Extern;
  if (cursor.acceptWord("visible")) return Linkage::Visible;
  if (cursor.acceptWord("weak")) return Linkage::Weak;
  if (cursor.acceptWord("common")) return Linkage::Common;
  return Linkage::None;
}

bool parseModulePragma(Cursor& cursor) {
  std::string_view text;
  do {
    if (!cursor.expectString("a pragma", text)) return false;
  } while (cursor.accept(TokenKind::Comma));
  return cursor.expect(TokenKind::Semicolon, "after a pragma");
}

bool parseTopLevel(Context& context) {
  Cursor& cursor = context.cursor;
  if (cursor.acceptWord("file")) return parseFile(context);
  if (cursor.acceptWord("section")) return parseSection(context);
  if (cursor.acceptWord("pragma")) return parseModulePragma(cursor);
  if (cursor.atWord("alias")) {
    return cursor.refuse(cursor.position(), ".alias is not supported",
                         "call the function by its own name");
  }
  const Linkage linkage = parseLinkage(cursor);
  if (cursor.atWord("entry") || cursor.atWord("func")) return parseFunction(context, linkage);
  if (declaredSpace(cursor.token())) {
    Specification specification;
    return parseSpecification(context, specification) &&
           parseVariables(context, linkage, specification, nullptr, nullptr);
  }
  if (cursor.at(TokenKind::Word)) {
    return cursor.refuse(cursor.position(),
                         fmt::format("unknown directive {}", quoteWord(cursor.token().text)),
                         suggestDirective(cursor.token().text));
  }
  return cursor.refuseToken("a function, a variable or a directive");
}

}  // namespace

bool parseModule(Context& context) {
  if (!parseVersion(context) || !parseTarget(context) || !parseAddressSize(context)) return false;
  while (!context.cursor.atEnd()) {
    if (!parseTopLevel(context)) return false;
  }
  nameSources(context);
  return !context.cursor.failed();
}

}  // namespace qgpu::ptx
