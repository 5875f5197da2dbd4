// Any text is a trace or is refused; each token of a trace has a line of the text.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "tools/api/trace_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qgpu;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto trace = readTraceText(text, "fuzz");
  if (!trace) {
    check(trace.error().kind == FailureKind::Refusal, "what is no trace is refused");
    return 0;
  }
  check(!trace->tokens.empty(), "a trace has tokens");
  check(trace->chained || !trace->damage, "only a chain can break");
  const auto lines = 1 + std::ranges::count(text, '\n');
  const auto tokens = static_cast<std::int64_t>(trace->tokens.size());  // positions count from 1
  check(trace->lineOf(1) >= 1 && trace->lineOf(tokens) <= lines, "tokens have lines of the text");
  return 0;
}
