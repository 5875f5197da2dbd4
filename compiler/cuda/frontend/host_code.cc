#include "compiler/cuda/frontend/host_code.h"

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <array>

namespace qgpu::cuda {
namespace {

namespace tok = clang::tok;

struct Lexeme {
  tok::TokenKind kind = tok::unknown;
  std::string_view text;
  unsigned offset = 0;

  unsigned end() const { return offset + static_cast<unsigned>(text.size()); }
};

// The tokens before preprocessing, without the lines of directives.
std::vector<Lexeme> lex(const std::string& source) {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus17 = language.CUDA = true;
  const char* const begin = source.data();
  clang::Lexer lexer(clang::SourceLocation(), language, begin, begin, begin + source.size());
  std::vector<Lexeme> lexemes;
  bool in_directive = false;
  for (clang::Token token; lexer.LexFromRawLexer(token), token.isNot(tok::eof);) {
    const unsigned end = lexer.getCurrentBufferOffset();
    const unsigned offset = end - token.getLength();
    if (token.isAtStartOfLine()) in_directive = token.is(tok::hash);
    if (in_directive) continue;
    lexemes.push_back(
        {token.getKind(), std::string_view(begin + offset, token.getLength()), offset});
  }
  return lexemes;
}

template <std::size_t n>
bool isOneOf(std::string_view text, const std::array<std::string_view, n>& words) {
  return std::ranges::find(words, text) != words.end();
}

bool opens(tok::TokenKind kind) {
  return kind == tok::l_brace || kind == tok::l_paren || kind == tok::l_square;
}
bool closes(tok::TokenKind kind) {
  return kind == tok::r_brace || kind == tok::r_paren || kind == tok::r_square;
}

// Reads declarations one after another; a brace that opens a namespace or `extern "C"` is no part
// of one, and neither is the brace that closes it.
class DeclarationReader {
 public:
  std::vector<Declaration> read(const std::vector<Lexeme>& lexemes) {
    for (const Lexeme& lexeme : lexemes) take(lexeme);
    return std::move(declarations_);
  }

 private:
  void take(const Lexeme& lexeme) {
    if (outer_.empty() && lexeme.kind == tok::r_brace) return;
    if (depth_ == 0 && lexeme.kind == tok::l_brace && opensScope()) {
      outer_.clear();
      return;
    }
    if (closes(lexeme.kind)) depth_ = std::max(0, depth_ - 1);
    if (depth_ == 0) outer_.push_back(lexeme);
    if (opens(lexeme.kind)) ++depth_;
    if (depth_ > 0) return;
    const bool body_ends = lexeme.kind == tok::r_brace && !isInitialized() && !isType();
    if (lexeme.kind == tok::semi || body_ends) finish(lexeme.end());
  }

  void finish(unsigned end) {
    declarations_.push_back({outer_.front().offset, end, isOmissible()});
    outer_.clear();
  }

  bool has(tok::TokenKind kind) const {
    return std::ranges::any_of(outer_, [&](const Lexeme& l) { return l.kind == kind; });
  }
  bool isInitialized() const {
    for (std::size_t i = 1; i < outer_.size(); ++i)
      if (outer_[i].kind == tok::equal && outer_[i - 1].text != "operator") return true;
    return false;
  }
  bool hasWord(std::string_view word) const {
    return std::ranges::any_of(outer_, [&](const Lexeme& l) { return l.text == word; });
  }
  bool isType() const {
    return !has(tok::l_paren) &&
           (hasWord("struct") || hasWord("class") || hasWord("union") || hasWord("enum"));
  }
  bool opensScope() const {
    if (outer_.empty()) return false;
    const std::string_view first = outer_.front().text;
    if (first == "namespace" || (first == "inline" && hasWord("namespace"))) return true;
    return first == "extern" && outer_.size() == 2 && outer_[1].kind == tok::string_literal;
  }
  bool isOmissible() const {
    if (outer_.front().kind == tok::l_brace || hasWord("constexpr")) return false;
    return outer_.front().text != "template" || (!isType() && !hasWord("using"));
  }

  std::vector<Declaration> declarations_;
  std::vector<Lexeme> outer_;  // the current declaration's tokens outside of all brackets
  int depth_ = 0;
};

constexpr std::array<std::string_view, 17> kPlainArguments = {
    "int",  "unsigned", "signed", "char", "short",  "long",    "bool",     "float",  "double",
    "uint", "true",     "false",  ",",    "int8_t", "int32_t", "uint32_t", "uint8_t"};

// The name and arguments that end before lexemes[end]; empty if they are not plain.
std::string instanceBefore(const std::vector<Lexeme>& lexemes, std::size_t end) {
  if (end == 0 || lexemes[end - 1].kind != tok::greater) return {};
  std::size_t i = end - 1;
  while (i > 0 && lexemes[i].kind != tok::less) {
    const Lexeme& argument = lexemes[--i];
    if (argument.kind != tok::less && argument.kind != tok::numeric_constant &&
        !isOneOf(argument.text, kPlainArguments))
      return {};
  }
  while (i > 0 &&
         (lexemes[i - 1].kind == tok::raw_identifier || lexemes[i - 1].kind == tok::coloncolon) &&
         (lexemes[i].kind != lexemes[i - 1].kind))
    --i;
  if (lexemes[i].kind == tok::less) return {};
  std::string name;
  for (; i < end; ++i) {
    if (!name.empty() && lexemes[i - 1].kind == tok::raw_identifier &&
        lexemes[i].kind == tok::raw_identifier)
      name += ' ';
    name += lexemes[i].text;
    if (lexemes[i].text == ",") name += ' ';
  }
  return name;
}

}  // namespace

std::vector<Declaration> topLevelDeclarations(std::string_view source) {
  const std::string text(source);
  return DeclarationReader().read(lex(text));
}

std::string withoutDeclaration(std::string source, const Declaration& declaration) {
  bool in_directive = false, line_is_blank = true, continued = false;
  for (unsigned i = declaration.begin; i < declaration.end; ++i) {
    char& c = source[i];
    if (c == '\n') {
      in_directive = in_directive && continued;
      line_is_blank = true;
      continue;
    }
    if (line_is_blank && c == '#') in_directive = true;
    if (c != ' ' && c != '\t' && c != '\r') line_is_blank = false;
    continued = c == '\\';
    if (!in_directive) c = ' ';
  }
  return source;
}

std::vector<std::string> launchedInstances(std::string_view source) {
  const std::string text(source);
  const std::vector<Lexeme> lexemes = lex(text);
  std::vector<std::string> instances;
  for (std::size_t i = 0; i < lexemes.size(); ++i) {
    if (lexemes[i].kind != tok::lesslessless) continue;
    std::string name = instanceBefore(lexemes, i);
    if (!name.empty() && std::ranges::find(instances, name) == instances.end())
      instances.push_back(std::move(name));
  }
  return instances;
}

}  // namespace qgpu::cuda
