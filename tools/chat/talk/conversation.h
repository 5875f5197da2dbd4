// The chat: questions in, answers out, with launches in between.
//
//   auto partner = mergedPartner("Qwen3.5-2B", {});
//   auto conversation = Conversation::create(**partner, {});
//   auto exchange = conversation->ask("What is the dot product of (1, 2, 3) and (4, 5, 6)?");
//   exchange->answer;                          // "The dot product is 32."
//   exchange->calls[0].result.response;        // "32", written by the machine in the weights
//
// The model calls the tool of its mode (tool.h) as often as it likes; a call that fails goes back
// to it with the reason, up to `repairs` times for a question. After that, and after `most_calls`,
// it has to answer in words.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/qwen/sampler.h"
#include "model/text/chat.h"
#include "tools/chat/talk/answer.h"
#include "tools/chat/talk/partner.h"
#include "tools/chat/talk/reading.h"
#include "tools/chat/tool/tool.h"

namespace qgpu::chat {

enum class Mode { Normal, Advanced };

struct ConversationOptions {
  Mode mode = Mode::Normal;
  model::SamplingOptions sampling = {.temperature = 0.7, .top_k = 20, .top_p = 0.8};
  std::size_t max_tokens = 1024;  // of each answer
  int repairs = 3;
  int most_calls = 8;
  bool must_call = false;  // each first answer is a call
};

struct Call {
  model::ToolCall call;
  ToolResult result;
};

struct Exchange {
  std::vector<Call> calls;
  std::string answer;
  bool complete = true;  // false: max_tokens were written first
  std::size_t tokens_read = 0, tokens_written = 0;

  // Calls that failed.
  int failures() const;
};

// Sees an exchange while it happens.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void text(std::string_view /*piece*/) {}       // as it is written; whole characters
  virtual void call(const model::ToolCall& /*call*/) {}  // before it runs
  virtual void result(const ToolResult& /*result*/) {}
  virtual bool stop() { return false; }  // asked after every token: end the answer here
};

class Conversation {
 public:
  // `partner` must outlive the conversation. Refused: a tokenizer that cannot chat.
  static Expected<Conversation> create(Partner& partner, const ConversationOptions& options);

  // Refused, with the conversation as it was before: text that is not UTF-8 or is blank, a
  // conversation that is too long for the model.
  Expected<Exchange> ask(std::string_view question, Listener& listener);
  Expected<Exchange> ask(std::string_view question);

  Mode mode() const { return options_.mode; }
  // Begins a new conversation in that mode; from here on the seed draws the same again.
  void restart(Mode mode);

 private:
  struct Written {
    std::string text;                 // without the call
    std::optional<std::string> call;  // with its tags
    bool complete = false;
  };

  Conversation(Partner& partner, const ConversationOptions& options, ControlTokens control,
               Vocabulary vocabulary);
  Expected<Exchange> exchange(Listener& listener);
  Expected<std::vector<float>> prompt();
  Expected<Written> write(Calls calls, Listener& listener, Exchange& exchange);
  void runCall(const Written& written, Listener& listener, Exchange& exchange);
  Expected<std::vector<model::TokenId>> rendered(bool generation_prompt) const;

  Partner* partner_;
  ConversationOptions options_;
  ControlTokens control_;
  Vocabulary vocabulary_;
  std::unique_ptr<Tool> calculator_, kernels_;
  Tool* tool_ = nullptr;
  Reading reading_;
  model::Sampler sampler_;
  model::Chat chat_;
};

}  // namespace qgpu::chat
