// A token trace as text: one token a line, the host's first. The host's part ends with the first
// CTA.
//
//   auto text = formatTrace(tokens);                 // "CODE 0 0 0 5\n...HALT\n"
//   auto trace = parseTrace(text, "dot.trace");      // Expected<std::vector<protocol::Token>>
//   auto host = hostLength(*trace);                  // how many of them are the host's
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/base/failure.h"
#include "interpreter/protocol/token.h"

namespace qgpu {

std::string formatTrace(std::span<const protocol::Token> tokens);

// Refused, with file and line: a line that is no token, an empty trace.
Expected<std::vector<protocol::Token>> parseTrace(std::string_view text,
                                                  const std::string& file_name);

// The tokens up to and with the first CTA; all of them where there is none.
std::size_t hostLength(std::span<const protocol::Token> tokens);

// A word that a trace carries: its base token and the EXT tokens after it.
struct TraceItem {
  std::size_t first = 0;   // index of the base token
  std::size_t tokens = 1;  // how many belong to it
  protocol::Token base;
  std::uint32_t word = 0;  // the whole word; 0 for tokens that carry none
};
// The trace with each word put together again. EXT tokens that follow no word stand alone.
std::vector<TraceItem> itemsOf(std::span<const protocol::Token> tokens);

}  // namespace qgpu
