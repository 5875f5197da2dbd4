#include "compiler/ptx/ptx.h"

#include <fmt/format.h>

#include "compiler/ptx/context.h"

namespace qgpu::ptx {
namespace {

// The name of a source file; `.file` may stand after the line that failed.
std::string sourceName(std::string_view text, int number) {
  Lexer lexer(text);
  for (Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next()) {
    if (token.kind != TokenKind::Word || token.text != "file") continue;
    const Token found = lexer.next();
    if (found.kind != TokenKind::Integer || found.bits != static_cast<std::uint64_t>(number))
      continue;
    const Token name = lexer.next();
    if (name.kind == TokenKind::String) return std::string(name.text);
  }
  return {};
}

// " (from k.cu:12:5)" for the `.loc` in force.
std::string origin(const Context& context, std::string_view text) {
  if (context.source == kNoSource) return {};
  const SourceLine* line = &context.module.sources[context.source];
  while (line->inlined_at != kNoSource) line = &context.module.sources[line->inlined_at];
  const std::string name = sourceName(text, line->file);
  if (name.empty()) return {};
  return fmt::format(" (from {})", Location{name, line->line, line->column}.text());
}

}  // namespace

Expected<Module> parse(std::string_view text, std::string file_name, const Options& options) {
  if (text.size() > kMaxText) {
    return refuseAt({std::move(file_name)}, "the PTX is over 4 MiB", "split it");
  }
  Context context(text, options);
  context.module.file_name = std::move(file_name);
  if (parseModule(context)) return std::move(context.module);
  const Cursor& cursor = context.cursor;
  check(cursor.failed(), "a parser that stops says why");
  const Position where = cursor.failurePosition();
  return refuseAt(context.module.locate(where), cursor.message() + origin(context, text),
                  cursor.hint());
}

}  // namespace qgpu::ptx
