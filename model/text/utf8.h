// UTF-8 in and out of the tokenizer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace qgpu::model {

// The length of the well-formed UTF-8 sequence (Unicode table 3-7: no overlong forms, no
// surrogates, nothing above U+10FFFF) at the start of `text`, or 0. Where there is none, `defect`
// becomes the length of the longest prefix that could still have become one, at least 1: what one
// U+FFFD stands for.
std::size_t utf8SequenceLength(std::string_view text, std::size_t& defect);

// The offset of the first byte that is not well-formed UTF-8, or npos.
std::size_t findInvalidUtf8(std::string_view text);

// `bytes` with every malformed part replaced by U+FFFD.
std::string lossyUtf8(std::string_view bytes);

// Text that comes in pieces which may end inside a character, as decoded tokens do. What add()
// returns is always well-formed; the concatenation of all it returns and of finish() is lossyUtf8
// of all bytes.
class Utf8Stream {
 public:
  std::string add(std::string_view bytes);
  std::string finish();

 private:
  std::string pending_;  // the beginning of a character
};

}  // namespace qgpu::model
