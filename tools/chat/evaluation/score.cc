#include "tools/chat/evaluation/score.h"

#include <algorithm>
#include <cctype>
#include <ranges>
#include <string>

namespace qgpu::chat {
namespace {

bool isDecimal(char c) { return c >= '0' && c <= '9'; }

// The digits at `at`; with `grouped` also such as 1,234,567.
std::string digitsAt(std::string_view text, std::size_t& at, bool grouped) {
  std::string digits;
  const auto run = [&](std::size_t from) {
    std::size_t n = 0;
    while (from + n < text.size() && isDecimal(text[from + n])) ++n;
    return n;
  };
  const std::size_t n = run(at);
  digits += text.substr(at, n);
  at += n;
  while (grouped && !digits.empty() && n <= 3 && at < text.size() && text[at] == ',' &&
         run(at + 1) == 3) {
    digits += text.substr(at + 1, 3);
    at += 4;
  }
  return digits;
}

std::vector<std::int64_t> integersIn(std::string text, bool grouped) {
  static constexpr std::string_view kMinus = "\xe2\x88\x92";  // U+2212
  for (std::size_t at; (at = text.find(kMinus)) != text.npos;) text.replace(at, kMinus.size(), "-");
  std::vector<std::int64_t> integers;
  for (std::size_t at = 0; at < text.size();) {
    if (!isDecimal(text[at])) {
      ++at;
      continue;
    }
    // A minus sign, unless it joins words or numbers: 3-4.
    const bool negative = at > 0 && text[at - 1] == '-' &&
                          (at == 1 || std::isalnum(static_cast<unsigned char>(text[at - 2])) == 0);
    const std::string digits = digitsAt(text, at, grouped);
    constexpr std::size_t kMostDigits = 18;  // that every int64 has; answers have fewer
    const std::int64_t magnitude = digits.size() > kMostDigits ? -1 : std::stoll(digits);
    if (magnitude < 0) continue;
    integers.push_back(negative ? -magnitude : magnitude);
  }
  return integers;
}

}  // namespace

bool says(std::string_view text, const std::vector<std::int64_t>& numbers) {
  for (const bool grouped : {false, true}) {
    std::size_t found = 0;
    for (const std::int64_t integer : integersIn(std::string(text), grouped))
      if (found < numbers.size() && integer == numbers[found]) ++found;
    if (found == numbers.size()) return true;
  }
  return false;
}

Score scoreOf(const Question& question, const Exchange& exchange) {
  Score score;
  score.answered = says(exchange.answer, question.answer);
  score.first_try = exchange.failures() == 0;
  for (const Call& call : exchange.calls | std::views::reverse) {
    if (!call.result.good || call.result.launches.empty()) continue;
    score.computed = std::ranges::any_of(
        call.result.values, [&](const auto& value) { return value.second == question.answer; });
    break;
  }
  return score;
}

}  // namespace qgpu::chat
