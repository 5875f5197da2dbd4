// "[1, 2]" or "[[1, 2], [3, 4]]", byte by byte: integers with rows of one length, one space at most
// after a comma, no more numbers than the machine's memory has words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/chat/grammar/integer.h"

namespace qgpu::chat {

class NumberListRecogniser {
 public:
  struct Form {
    std::int64_t low, high;  // of the numbers
    std::size_t most;        // numbers in all
    bool matrices;           // lists of lists too
  };

  // Stands behind the first "[".
  explicit NumberListRecogniser(const Form& form) : form_(form), number_(form.low, form.high) {}

  // Whether the byte can stand here; if not, nothing changes.
  bool accept(char byte);
  bool complete() const { return expect_ == Expect::Nothing; }
  // The shortest end.
  void close(std::string& out) const;

 private:
  enum class Expect : std::uint8_t {
    NumberOrRow,    // behind the first "["
    Number,         // behind a row's "["
    SpaceOrNumber,  // behind a comma
    MoreDigits,
    SpaceOrRow,  // behind a comma between rows
    Row,
    AfterRow,  // "," or "]"
    Nothing,
  };

  bool beginNumber(char byte);
  bool beginRow(char byte);
  bool afterNumber(char byte);
  bool afterRow(char byte);
  std::size_t mostInRow() const { return columns_ > 0 ? columns_ : form_.most; }

  Form form_;
  IntegerRecogniser number_;
  Expect expect_ = Expect::NumberOrRow;
  bool matrix_ = false;
  std::size_t numbers_ = 0;  // begun, in all
  std::size_t in_row_ = 0;
  std::size_t columns_ = 0;  // of the first row, once it is complete
};

}  // namespace qgpu::chat
