// The language of ../expression, byte by byte: whatever it accepts and completes, parseSyntax
// reads. It asks for a tidy subset: one space at most beside operators and behind commas, decimal
// numbers without leading zeros, a minus sign next to what it negates, functions by their first
// name. A value of fixed size: copies are points to come back to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/chat/grammar/number_list.h"

namespace qgpu::chat {

class ExpressionRecogniser {
 public:
  // Whether the byte can stand here; if not, nothing changes.
  bool accept(char byte);
  // Whether the expression may end here.
  bool complete() const;
  // The shortest end.
  void close(std::string& out) const;

 private:
  enum class Expect : std::uint8_t {
    Operand,
    SpaceOrOperand,   // behind an operator or a comma
    EqualsOrOperand,  // behind "<" or ">"
    Equals,           // behind "=" or "!"
    Negated,          // behind a minus sign: anything but another
    Digits,           // of a number
    Letters,          // of a name, or its "("
    List,             // inside one
    Operator,         // behind an operand: also ")", ",", a space
    OperatorOnly,     // behind that space
  };
  // A parenthesis or a call that is open. The bottom one is the expression itself.
  struct Frame {
    std::int8_t function = -1;  // its index in functions(), or -1
    std::uint8_t arguments = 1;
    bool compared = false;  // holds a comparison already, in this argument
  };
  static constexpr std::size_t kFrames = 7;

  bool step(char byte);
  bool operand(char byte);
  bool letter(char byte);
  bool open(int function);
  bool behindOperand(char byte);
  bool comma();
  bool binary(char byte);
  bool closeParenthesis();
  bool countOperation();

  Frame& top() { return frames_[depth_]; }
  const Frame& top() const { return frames_[depth_]; }

  std::array<Frame, kFrames + 1> frames_{};
  std::size_t depth_ = 0;
  Expect expect_ = Expect::Operand;
  std::size_t operations_ = 0;
  std::size_t bytes_ = 0;
  std::uint8_t first_ = 0, last_ = 0, letters_ = 0;  // the functions that a name may become
  IntegerRecogniser number_{0, 0};
  NumberListRecogniser list_{{0, 0, 0, false}};
};

}  // namespace qgpu::chat
