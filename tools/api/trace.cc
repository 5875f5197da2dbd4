#include "tools/api/trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace qgpu {

using protocol::Token;
using protocol::TokenKind;

std::string formatTrace(std::span<const Token> tokens) {
  std::string text;
  for (const Token& token : tokens) text += token.text() + '\n';
  return text;
}

Expected<std::vector<Token>> parseTrace(std::string_view text, const std::string& file_name) {
  std::vector<Token> tokens;
  int line = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view record = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    auto token = Token::parse(record, {file_name, ++line, 1});
    if (!token) return fail(std::move(token.error()));
    tokens.push_back(*token);
  }
  if (tokens.empty())
    return refuseAt({file_name, 0, 0}, "the trace is empty", "`qgpu run --trace` writes one");
  return tokens;
}

std::size_t hostLength(std::span<const Token> tokens) {
  const auto cta = std::ranges::find(tokens, TokenKind::Cta, &Token::kind);
  return static_cast<std::size_t>(cta - tokens.begin()) + (cta == tokens.end() ? 0 : 1);
}

std::vector<TraceItem> itemsOf(std::span<const Token> tokens) {
  std::vector<TraceItem> items;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& base = tokens[i];
    const int low = protocol::lowBits(base.kind);
    TraceItem item{.first = i, .base = base};
    if (low != 0) {
      item.word = protocol::extend(0, base.payload(), low, 0);
      for (const TokenKind kind : {TokenKind::Ext1, TokenKind::Ext2}) {
        if (i + 1 >= tokens.size() || tokens[i + 1].kind != kind) break;
        const int part = static_cast<int>(item.tokens++);
        item.word = protocol::extend(item.word, tokens[++i].payload(), low, part);
      }
    }
    items.push_back(item);
  }
  return items;
}

}  // namespace qgpu
