#include "model/text/utf8.h"

#include <algorithm>
#include <utility>

namespace qgpu::model {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// What the first byte asks for: the sequence's length and the range of its second byte.
struct Lead {
  std::size_t length = 0;  // 0: not a first byte
  unsigned char low = 0x80;
  unsigned char high = 0xbf;
};

Lead leadOf(unsigned char byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xc2) return {0};
  if (byte < 0xe0) return {2};
  if (byte == 0xe0) return {3, 0xa0, 0xbf};
  if (byte == 0xed) return {3, 0x80, 0x9f};
  if (byte < 0xf0) return {3};
  if (byte == 0xf0) return {4, 0x90, 0xbf};
  if (byte < 0xf4) return {4};
  if (byte == 0xf4) return {4, 0x80, 0x8f};
  return {0};
}

// Where a text ends inside a character that could still become whole, the offset of that character.
std::size_t wholePart(std::string_view bytes) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes.size()); ++back) {
    const std::string_view tail = bytes.substr(bytes.size() - back);
    std::size_t defect = 0;
    if (leadOf(static_cast<unsigned char>(tail[0])).length > back &&
        utf8SequenceLength(tail, defect) == 0 && defect == back)
      return bytes.size() - back;
  }
  return bytes.size();
}

}  // namespace

std::size_t utf8SequenceLength(std::string_view text, std::size_t& defect) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const Lead lead = leadOf(at(0));
  defect = 1;
  for (std::size_t i = 1; i < lead.length; ++i) {
    const bool second = i == 1;
    if (i == text.size() || at(i) < (second ? lead.low : 0x80) ||
        at(i) > (second ? lead.high : 0xbf))
      return 0;
    defect = i + 1;
  }
  return lead.length;
}

std::size_t findInvalidUtf8(std::string_view text) {
  std::size_t defect = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8SequenceLength(text.substr(i), defect);
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string lossyUtf8(std::string_view bytes) {
  std::string result;
  while (!bytes.empty()) {
    std::size_t defect = 0;
    const std::size_t length = utf8SequenceLength(bytes, defect);
    result += length > 0 ? bytes.substr(0, length) : kReplacement;
    bytes.remove_prefix(length > 0 ? length : defect);
  }
  return result;
}

std::string Utf8Stream::add(std::string_view bytes) {
  pending_ += bytes;
  const std::size_t whole = wholePart(pending_);
  std::string result = lossyUtf8(std::string_view(pending_).substr(0, whole));
  pending_.erase(0, whole);
  return result;
}

std::string Utf8Stream::finish() { return lossyUtf8(std::exchange(pending_, {})); }

}  // namespace qgpu::model
