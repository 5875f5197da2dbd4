// Whether an exchange answers a question.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/chat/evaluation/questions.h"
#include "tools/chat/talk/conversation.h"

namespace qgpu::chat {

struct Score {
  bool computed = false;   // the last launch that went well holds the numbers
  bool answered = false;   // so does the answer in words, in their order
  bool first_try = false;  // no call failed

  bool correct() const { return computed && answered; }
};

Score scoreOf(const Question& question, const Exchange& exchange);

// Whether a text says these integers in this order; there may be others between them ("0 occurs 3
// times, 1 twice"). Digits in groups (1,234) and the sign U+2212 are understood.
bool says(std::string_view text, const std::vector<std::int64_t>& numbers);

}  // namespace qgpu::chat
