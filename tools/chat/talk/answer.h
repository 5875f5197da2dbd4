// Writing one answer: text until the model ends it, or a tool call inside its grammar.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/qwen/sampler.h"
#include "model/text/tokenizer.h"
#include "tools/chat/grammar/vocabulary.h"

namespace qgpu::chat {

// The tokens that mean something to a chat.
struct ControlTokens {
  model::TokenId turn = 0;           // <|im_start|>
  model::TokenId call = 0;           // <tool_call>
  model::TokenId call_end = 0;       // </tool_call>
  std::vector<model::TokenId> ends;  // of an answer

  // Refused: a tokenizer without them.
  static Expected<ControlTokens> of(const model::Tokenizer& tokenizer);
};

// Whether an answer may contain a call.
enum class Calls { Never, Allowed, Required };

// Which tokens may come next, from the first of an answer to its last. Text may hold anything but
// control tokens. A call stays inside its grammar, and ends in time: the last tokens that are left
// lead to its end.
class AnswerMask {
 public:
  // All must outlive the mask. `most` tokens may be written in all.
  AnswerMask(const model::Tokenizer& tokenizer, const ControlTokens& control,
             const Vocabulary& vocabulary, const CallGrammar& grammar, Calls calls,
             std::size_t most);

  // Sets the logits of all other tokens to minus infinity. Some token always stays.
  void apply(std::span<float> logits);
  void follow(model::TokenId token);
  // Whether the model has ended the answer, and whether it must end anyhow.
  bool finished() const { return place_ == Place::Done; }
  bool done() const { return finished() || left_ == 0; }
  // Where the answer is a call, complete or not.
  bool inCall() const { return place_ == Place::Call || place_ == Place::CallEnd; }
  bool called() const { return called_; }

 private:
  enum class Place { Text, Call, CallEnd, Done };

  bool callMayBegin() const;
  void allowOnly(std::span<const model::TokenId> tokens, std::span<float> logits);

  const model::Tokenizer& tokenizer_;
  const ControlTokens& control_;
  const Vocabulary& vocabulary_;
  Recogniser at_;
  Calls calls_;
  std::size_t left_;
  Place place_ = Place::Text;
  bool first_ = true;
  bool called_ = false;
  std::vector<model::TokenId> allowed_;
  std::vector<float> kept_;
};

}  // namespace qgpu::chat
