#include "tools/qgpu/exchange_printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "tools/api/launch_text.h"

namespace qgpu::cli {
namespace {

constexpr std::size_t kTokenLines = 16;  // of one launch

volatile std::sig_atomic_t interrupted = 0;
void noteInterrupt(int /*signal*/) { interrupted = 1; }

// The engine's tokens in lines of up to `width` columns.
std::string tokenLines(const std::vector<protocol::Token>& tokens, std::size_t width) {
  std::string text, line;
  std::size_t lines = 0, shown = 0;
  for (const protocol::Token& token : tokens) {
    const std::string word = token.text();
    if (!line.empty() && line.size() + 3 + word.size() + 4 > width) {
      text += "    " + line + '\n';
      line.clear();
      if (++lines == kTokenLines) break;
    }
    line += (line.empty() ? "" : " | ") + word;
    ++shown;
  }
  if (!line.empty()) text += "    " + line + '\n';
  if (shown < tokens.size()) text += fmt::format("    and {} more\n", tokens.size() - shown);
  return text;
}

std::string indented(std::string_view text, std::string_view margin) {
  std::string result(margin);
  for (const char c : text) {
    result += c;
    if (c == '\n') result += margin;
  }
  return result;
}

}  // namespace

std::string harmless(std::string_view text) {
  static constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool c1 = byte == 0xc2 && i + 1 < text.size() &&
                    static_cast<unsigned char>(text[i + 1]) < 0xa0;  // U+0080 to U+009F
    if (c1) ++i;
    if (c1 || (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f)
      result += kReplacement;
    else
      result += text[i];
  }
  return result;
}

ExchangePrinter::ExchangePrinter(const Terminal& terminal) : terminal_(terminal) {
  interrupted = 0;
  former_ = std::signal(SIGINT, noteInterrupt);
}

ExchangePrinter::~ExchangePrinter() {
  if (former_ != SIG_ERR) std::signal(SIGINT, former_);
}

bool ExchangePrinter::stop() { return interrupted != 0; }

void ExchangePrinter::text(std::string_view piece) {
  terminal_.print(harmless(piece));
  std::fflush(stdout);
  in_line_ = !piece.ends_with('\n');
}

void ExchangePrinter::breakLine() {
  if (in_line_) terminal_.print("\n");
  in_line_ = false;
}

void ExchangePrinter::line(std::string_view text, Style style) {
  terminal_.print(terminal_.styled(harmless(text), style) + '\n');
  std::fflush(stdout);
}

void ExchangePrinter::call(const model::ToolCall& call) {
  breakLine();
  with_tokens_ = call.name == "cuda";
  if (const std::string* expression = chat::parameterOf(call, "expression")) {
    line("  " + *expression, Style::Cyan);
    return;
  }
  for (const auto& [key, value] : call.arguments) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    line(key == "kernel" ? indented(text, "  ") : fmt::format("  {} = {}", key, text), Style::Cyan);
  }
}

void ExchangePrinter::launch(const chat::Launched& launched, bool with_tokens) {
  const TokenCounts counts = countTokens(launched.recording);
  line(fmt::format("  {}: {} ({})", launchText(launched.program), counted(counts.model, "token"),
                   countsText(counts)),
       Style::Dim);
  if (with_tokens)
    terminal_.print(terminal_.styled(
        tokenLines(launched.recording.run.written, static_cast<std::size_t>(terminal_.width())),
        Style::Dim));
}

void ExchangePrinter::result(const chat::ToolResult& result) {
  breakLine();
  for (const chat::Launched& launched : result.launches) launch(launched, with_tokens_);
  line(indented(result.response, result.good ? "  = " : "  ! "),
       result.good ? Style::Green : Style::Red);
}

void ExchangePrinter::finish(const chat::Exchange& exchange) {
  breakLine();
  if (interrupted != 0)
    terminal_.note("the answer was interrupted");
  else if (!exchange.complete)
    terminal_.note("the answer was cut; a larger --max-tokens lets it go on");
}

}  // namespace qgpu::cli
