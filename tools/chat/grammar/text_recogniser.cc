#include "tools/chat/grammar/text_recogniser.h"

namespace qgpu::chat {
namespace {

// How many bytes follow the first byte of a character and where the first of these lies (Unicode,
// table 3-7).
struct Lead {
  std::uint8_t continuation = 0, low = 0x80, high = 0xbf;
  bool possible = true;
};
Lead leadOf(std::uint8_t byte) {
  if (byte < 0x80)
    return {.possible = (byte >= 0x20 && byte != 0x7f) || byte == '\n' || byte == '\t'};
  if (byte >= 0xc2 && byte <= 0xdf) return {.continuation = 1};
  if (byte == 0xe0) return {.continuation = 2, .low = 0xa0};
  if (byte == 0xed) return {.continuation = 2, .high = 0x9f};
  if (byte >= 0xe1 && byte <= 0xef) return {.continuation = 2};
  if (byte == 0xf0) return {.continuation = 3, .low = 0x90};
  if (byte == 0xf4) return {.continuation = 3, .high = 0x8f};
  if (byte >= 0xf1 && byte <= 0xf3) return {.continuation = 3};
  return {.possible = false};
}

}  // namespace

bool TextRecogniser::accept(char byte) {
  if (complete()) return false;
  const auto value = static_cast<std::uint8_t>(byte);
  if (continuation_ > 0) {
    if (value < low_ || value > high_) return false;
    --continuation_;
    low_ = 0x80, high_ = 0xbf;
    return true;
  }
  if (byte == terminator_[matched_]) {
    ++matched_;
    return true;
  }
  const Lead lead = leadOf(value);
  // What looked like the terminator was text; and the character begins.
  const std::size_t taken = matched_ + 1 + lead.continuation;
  if (!lead.possible || taken > left_) return false;
  const bool restarts = byte == terminator_[0];
  left_ -= restarts ? matched_ : taken;
  matched_ = restarts ? 1 : 0;
  continuation_ = lead.continuation;
  low_ = lead.low, high_ = lead.high;
  return true;
}

void TextRecogniser::close(std::string& out) const {
  for (std::uint8_t i = 0; i < continuation_; ++i) out += static_cast<char>(i == 0 ? low_ : 0x80);
  out += terminator_.substr(matched_);
}

}  // namespace qgpu::chat
