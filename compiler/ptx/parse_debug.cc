// Where instructions come from: .file, .loc, and the names in .debug_str.
#include <limits>

#include <fmt/format.h>

#include "compiler/ptx/context.h"

namespace qgpu::ptx {
namespace {

constexpr std::uint64_t kMaxNumber = std::numeric_limits<std::int32_t>::max();

// nvcc and clang write bytes that are not printable as \ooo.
std::string unescape(std::string_view text) {
  std::string result;
  const auto octal = [&](std::size_t i) {
    return i < text.size() && text[i] >= '0' && text[i] <= '7';
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && octal(i + 1) && octal(i + 2) && octal(i + 3)) {
      const int value = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
      result += static_cast<char>(value & 0xFF);
      i += 3;
    } else {
      if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '\\') ++i;
      result += text[i];
    }
  }
  return result;
}

bool parsePlace(Cursor& cursor, SourceLine& line) {
  std::uint64_t file = 0;
  std::uint64_t row = 0;
  std::uint64_t column = 0;
  if (!cursor.expectInteger("a file number", kMaxNumber, file) ||
      !cursor.expectInteger("a line number", kMaxNumber, row) ||
      !cursor.expectInteger("a column number", kMaxNumber, column)) {
    return false;
  }
  line.file = static_cast<int>(file);
  line.line = static_cast<int>(row);
  line.column = static_cast<int>(column);
  return true;
}

// Mixes file, line and column; a collision would only chain an inlining wrongly, so places are
// compared.
std::uint64_t placeKey(const SourceLine& line) {
  return (static_cast<std::uint64_t>(line.file) << 48) ^
         (static_cast<std::uint64_t>(line.line) << 16) ^ static_cast<std::uint64_t>(line.column);
}

bool samePlace(const SourceLine& a, const SourceLine& b) {
  return a.file == b.file && a.line == b.line && a.column == b.column;
}

// The line that an `inlined_at` names: the last .loc there, which may itself be inlined.
SourceId callSite(Context& context, const SourceLine& call) {
  std::vector<SourceLine>& sources = context.module.sources;
  const auto known = context.places.find(placeKey(call));
  if (known != context.places.end() && samePlace(sources[known->second], call))
    return known->second;
  sources.push_back(call);
  return static_cast<SourceId>(sources.size() - 1);
}

// `, function_name LABEL[+N], inlined_at FILE LINE COLUMN`, in either order.
bool parseInlining(Context& context, SourceLine& line, Context::NamedSource& name) {
  Cursor& cursor = context.cursor;
  while (cursor.accept(TokenKind::Comma)) {
    std::string_view attribute;
    if (!cursor.expectName("function_name or inlined_at", attribute)) return false;
    if (attribute == "function_name") {
      if (!cursor.expectName("a label in .debug_str", name.label)) return false;
      if (cursor.accept(TokenKind::Plus) &&
          !cursor.expectInteger("an offset", kMaxNumber, name.offset)) {
        return false;
      }
    } else if (attribute == "inlined_at") {
      SourceLine call;
      if (!parsePlace(cursor, call)) return false;
      line.inlined_at = callSite(context, call);
    } else {
      return cursor.refuse(cursor.position(),
                           fmt::format("unknown attribute {} of .loc", quote(attribute)),
                           "function_name and inlined_at are known");
    }
  }
  return true;
}

bool parseStrings(Context& context) {
  Cursor& cursor = context.cursor;
  while (!cursor.atEnd() && !cursor.at(TokenKind::CloseBrace)) {
    if (cursor.at(TokenKind::Identifier) && cursor.ahead().kind == TokenKind::Colon) {
      context.debug_labels.try_emplace(cursor.token().text, context.debug_strings.size());
    } else if (cursor.at(TokenKind::Integer)) {
      context.debug_strings += static_cast<char>(cursor.token().bits & 0xFF);
    }
    cursor.advance();
  }
  return !cursor.failed();
}

}  // namespace

bool parseFile(Context& context) {
  Cursor& cursor = context.cursor;
  const Position where = cursor.position();
  std::uint64_t number = 0;
  std::string_view name;
  if (!cursor.expectInteger("a file number", kMaxNumber, number) ||
      !cursor.expectString("a file name", name)) {
    return false;
  }
  // Time stamp and size.
  std::uint64_t ignored = 0;
  while (cursor.accept(TokenKind::Comma)) {
    if (!cursor.expectInteger("a number", ~std::uint64_t{0}, ignored)) return false;
  }
  if (!context.file_numbers.insert(static_cast<int>(number)).second) {
    return cursor.refuse(where, fmt::format("file number {} is taken", number),
                         "number files differently");
  }
  context.module.files.push_back({static_cast<int>(number), unescape(name)});
  return true;
}

bool parseLoc(Context& context) {
  Cursor& cursor = context.cursor;
  SourceLine line;
  Context::NamedSource name;
  if (!parsePlace(cursor, line) || !parseInlining(context, line, name)) return false;
  std::vector<SourceLine>& sources = context.module.sources;
  context.source = static_cast<SourceId>(sources.size());
  context.places[placeKey(line)] = context.source;
  sources.push_back(line);
  if (!name.label.empty()) {
    name.source = context.source;
    context.named_sources.push_back(name);
  }
  return true;
}

bool parseSection(Context& context) {
  Cursor& cursor = context.cursor;
  const bool strings = cursor.atWord("debug_str");
  if (!cursor.at(TokenKind::Word) && !cursor.at(TokenKind::Identifier)) {
    return cursor.refuseToken("a section's name");
  }
  cursor.advance();
  if (!cursor.expect(TokenKind::OpenBrace, "after a section's name")) return false;
  if (strings && !parseStrings(context)) return false;
  while (!cursor.atEnd() && !cursor.at(TokenKind::CloseBrace)) cursor.advance();
  return cursor.expect(TokenKind::CloseBrace, "at the end of a section");
}

void nameSources(Context& context) {
  for (const Context::NamedSource& named : context.named_sources) {
    const auto label = context.debug_labels.find(named.label);
    if (label == context.debug_labels.end()) continue;
    const std::size_t start = label->second + named.offset;
    if (start >= context.debug_strings.size()) continue;
    const std::string_view window =
        std::string_view(context.debug_strings).substr(start, kMaxFunctionName);
    const std::size_t length = window.find('\0');
    if (length == std::string_view::npos) continue;
    context.module.sources[named.source].function_name = window.substr(0, length);
  }
}

}  // namespace qgpu::ptx
