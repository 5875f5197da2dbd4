// The arguments of a launch, byte by byte: {"a": [1, 2, 3], "n": 3}, an object of integers and
// lists of them under names that can be C++ identifiers; one space at most behind colons and
// commas.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/chat/grammar/number_list.h"

namespace qgpu::chat {

class ArgumentsRecogniser {
 public:
  static constexpr std::size_t kMostArguments = 16;
  static constexpr std::size_t kLongestName = 32;

  // Whether the byte can stand here; if not, nothing changes.
  bool accept(char byte);
  bool complete() const { return expect_ == Expect::Nothing; }
  // The shortest end.
  void close(std::string& out) const;

 private:
  enum class Expect : std::uint8_t {
    Brace,
    FirstQuote,  // or the end
    SpaceOrQuote,
    Quote,
    Name,  // or the quote behind it
    Colon,
    SpaceOrValue,
    Value,
    Digits,
    List,
    AfterList,
    Nothing,
  };
  bool value(char byte);
  bool name(char byte);
  bool afterValue(char byte);

  Expect expect_ = Expect::Brace;
  std::uint8_t arguments_ = 0, letters_ = 0;
  IntegerRecogniser number_{0, 0};
  NumberListRecogniser list_{{0, 0, 0, false}};
};

}  // namespace qgpu::chat
