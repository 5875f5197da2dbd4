// Free text up to and with a terminator, byte by byte: well-formed UTF-8 of limited length, without
// control characters but tabs and line breaks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace qgpu::chat {

class TextRecogniser {
 public:
  // `terminator` outlives the recogniser and is ASCII; its first byte occurs only there in it.
  TextRecogniser(std::string_view terminator, std::size_t most_bytes)
      : terminator_(terminator), left_(most_bytes) {}

  // Whether the byte can stand here; if not, nothing changes.
  bool accept(char byte);
  // Whether the terminator has come.
  bool complete() const { return matched_ == terminator_.size(); }
  // The shortest end.
  void close(std::string& out) const;

 private:
  std::string_view terminator_;
  std::size_t matched_ = 0;                // bytes of the terminator that stand at the end
  std::size_t left_;                       // bytes of text beside a terminator
  std::uint8_t continuation_ = 0;          // bytes that the character lacks
  std::uint8_t low_ = 0x80, high_ = 0xbf;  // of the next of them
};

}  // namespace qgpu::chat
