// A decimal integer, byte by byte: an optional minus sign, no leading zeros, in a range.
#pragma once

#include <cstdint>
#include <string>

namespace qgpu::chat {

class IntegerRecogniser {
 public:
  // low <= 0 <= high, or 0 <= low with low of one digit.
  IntegerRecogniser(std::int64_t low, std::int64_t high) : low_(low), high_(high) {}

  // Whether the byte can stand here; if not, nothing changes.
  bool accept(char byte) {
    if (byte == '-') {
      if (negative_ || digits_ > 0 || low_ >= 0) return false;
      negative_ = true;
      return true;
    }
    if (byte < '0' || byte > '9' || (digits_ > 0 && magnitude_ == 0)) return false;
    const std::int64_t magnitude = magnitude_ * 10 + (byte - '0');
    if (negative_ ? -magnitude < low_ : magnitude > high_) return false;
    if (magnitude < low_) return false;  // a 0 that could not go on
    magnitude_ = magnitude;
    ++digits_;
    return true;
  }
  bool complete() const { return digits_ > 0; }
  bool begun() const { return negative_ || digits_ > 0; }
  // The shortest end.
  void close(std::string& out) const {
    if (!complete()) out += static_cast<char>('0' + (low_ > 0 ? low_ : 0));
  }

 private:
  std::int64_t low_, high_;
  std::int64_t magnitude_ = 0;
  int digits_ = 0;
  bool negative_ = false;
};

}  // namespace qgpu::chat
