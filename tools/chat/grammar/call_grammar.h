// What a tool call may look like, between "<tool_call>" and "</tool_call>", and how far a text has
// come in it.
//
//   const CallGrammar grammar = CallGrammar::expression("calculate", "expression");
//   Recogniser at(grammar);
//   for (char byte : text) if (!at.accept(byte)) ...      // cannot stand here
//   at.complete();                                        // "</tool_call>" may follow
//   at.end();                                             // the shortest text that completes it
//
// Recognisers are values: a copy is a point to come back to. From every point some end can be
// reached, and each byte of end() leaves exactly the rest of it; so a text that must be complete
// within n bytes can be steered to be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/chat/grammar/arguments_recogniser.h"
#include "tools/chat/grammar/expression_recogniser.h"
#include "tools/chat/grammar/integer.h"
#include "tools/chat/grammar/text_recogniser.h"

namespace qgpu::chat {

class CallGrammar {
 public:
  // <function=FUNCTION>, one <parameter=PARAMETER> that is an expression.
  static CallGrammar expression(std::string_view function, std::string_view parameter);
  // <function=FUNCTION> with the parameters kernel (text), grid, block (numbers) and arguments.
  static CallGrammar kernel(std::string_view function);

 private:
  friend class Recogniser;
  struct Part {
    enum class Kind : std::uint8_t { Fixed, Expression, Text, Integer, Arguments };
    Kind kind = Kind::Fixed;
    std::string text = {};           // of Fixed; the terminator of Text
    std::int64_t low = 0, high = 0;  // of Integer; high: bytes of Text
  };

  void add(Part part);

  std::vector<Part> parts_;  // each but Text is followed by a Fixed one
};

class Recogniser {
 public:
  // `grammar` must outlive the recogniser and stay where it is.
  explicit Recogniser(const CallGrammar& grammar) : grammar_(&grammar) { begin(0); }

  // Whether the byte can stand here; if not, nothing changes.
  bool accept(char byte);
  bool accept(std::string_view bytes);
  bool complete() const { return part_ == grammar_->parts_.size(); }
  std::string end() const;

 private:
  struct Fixed {
    std::string_view text;
    bool accept(char byte) {
      if (text.empty() || text[0] != byte) return false;
      text.remove_prefix(1);
      return true;
    }
    bool complete() const { return text.empty(); }
    void close(std::string& out) const { out += text; }
  };
  using State = std::variant<Fixed, ExpressionRecogniser, TextRecogniser, IntegerRecogniser,
                             ArgumentsRecogniser>;

  static State beginning(const CallGrammar::Part& part);
  void begin(std::size_t part);

  const CallGrammar* grammar_;
  std::size_t part_ = 0;
  State state_;
};

}  // namespace qgpu::chat
