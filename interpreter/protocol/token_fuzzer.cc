// Traces: each line is refused or is the one text of a token.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "interpreter/protocol/token.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qgpu;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto token = protocol::Token::parse(line, {});
    if (!token) continue;
    check(token->valid(), "a token that was read is one of the vocabulary");
    check(protocol::Token::fromId(token->id()) == *token, "a token is its number's");
    check(protocol::Token::parse(token->text(), {}) == *token, "a token is its text's");
  }
  return 0;
}
