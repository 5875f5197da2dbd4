// Shows an exchange while it happens: text as it is written, calls, launches, results.
#pragma once

#include <string>
#include <string_view>

#include "tools/chat/talk/conversation.h"
#include "tools/qgpu/terminal.h"

namespace qgpu::cli {

class ExchangePrinter : public chat::Listener {
 public:
  // While it lives, the first interrupt from the keyboard ends the answer, not the program.
  explicit ExchangePrinter(const Terminal& terminal);
  ~ExchangePrinter() override;
  ExchangePrinter(const ExchangePrinter&) = delete;
  ExchangePrinter& operator=(const ExchangePrinter&) = delete;

  void text(std::string_view piece) override;
  void call(const model::ToolCall& call) override;
  void result(const chat::ToolResult& result) override;
  bool stop() override;

  // Ends the last line.
  void finish(const chat::Exchange& exchange);

 private:
  void line(std::string_view text, Style style);
  void breakLine();
  void launch(const chat::Launched& launched, bool with_tokens);

  const Terminal& terminal_;
  bool in_line_ = false;  // text stands on the current line
  bool with_tokens_ = false;
  void (*former_)(int) = nullptr;
};

// `text` without what a terminal would obey: control characters but line breaks and tabs become
// U+FFFD.
std::string harmless(std::string_view text);

}  // namespace qgpu::cli
