// Any text is an expression or refused, and what the grammar of calls accepts is one.
#include <cstdint>
#include <string_view>

#include "tools/chat/expression/expression.h"
#include "tools/chat/grammar/call_grammar.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qgpu::chat;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto expression = parseExpression(text))
    qgpu::check(expression->steps.size() <= 2 * kExpressionLimits.operations + 1,
                "an expression stays within its limits");

  static const CallGrammar kGrammar = CallGrammar::expression("f", "p");
  Recogniser at(kGrammar);
  qgpu::check(at.accept("\n<function=f>\n<parameter=p>\n"), "a call begins");
  std::size_t taken = 0;
  while (taken < size && at.accept(text[taken])) ++taken;
  const std::string end = at.end();
  const std::string whole = std::string(text.substr(0, taken)) + end;
  qgpu::check(at.accept(end) && at.complete(), "every beginning has an end");
  if (taken < size) return 0;
  const auto read = parseSyntax(std::string_view(whole).substr(0, whole.find("\n</parameter>")));
  qgpu::check(read.has_value(), "what the grammar accepts is an expression");
  return 0;
}
