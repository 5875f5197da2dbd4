#include "tools/chat/talk/conversation.h"

#include <algorithm>

#include "model/text/python_text.h"

namespace qgpu::chat {

using model::Message;
using model::Role;
using model::TokenId;

int Exchange::failures() const {
  return static_cast<int>(
      std::ranges::count_if(calls, [](const Call& c) { return !c.result.good; }));
}

Expected<Conversation> Conversation::create(Partner& partner, const ConversationOptions& options) {
  auto control = ControlTokens::of(partner.tokenizer());
  if (!control) return fail(std::move(control.error()));
  auto vocabulary = Vocabulary::create(partner.tokenizer());
  if (!vocabulary) return fail(std::move(vocabulary.error()));
  return Conversation(partner, options, std::move(*control), std::move(*vocabulary));
}

Conversation::Conversation(Partner& partner, const ConversationOptions& options,
                           ControlTokens control, Vocabulary vocabulary)
    : partner_(&partner),
      options_(options),
      control_(std::move(control)),
      vocabulary_(std::move(vocabulary)),
      calculator_(calculatorTool(partner.machine())),
      kernels_(kernelTool(partner.machine())),
      reading_(partner),
      sampler_(options.sampling) {
  restart(options.mode);
}

void Conversation::restart(Mode mode) {
  options_.mode = mode;
  sampler_ = model::Sampler(options_.sampling);
  tool_ = mode == Mode::Normal ? calculator_.get() : kernels_.get();
  chat_.tools = {tool_->description()};
  chat_.messages = {{.role = Role::System, .content = std::string(tool_->instructions())}};
}

Expected<Exchange> Conversation::ask(std::string_view question) {
  Listener nobody;
  return ask(question, nobody);
}

Expected<Exchange> Conversation::ask(std::string_view question, Listener& listener) {
  if (model::pythonStrip(question).empty()) return refuse("there is no question", "ask something");
  const std::size_t before = chat_.messages.size();
  chat_.messages.push_back({.role = Role::User, .content = std::string(question)});
  auto result = exchange(listener);
  if (!result) chat_.messages.resize(before);
  return result;
}

Expected<Exchange> Conversation::exchange(Listener& listener) {
  Exchange exchange;
  for (;;) {
    const bool first = exchange.calls.empty();
    const bool may_call = exchange.failures() <= options_.repairs &&
                          exchange.calls.size() < static_cast<std::size_t>(options_.most_calls);
    const Calls calls = !may_call                     ? Calls::Never
                        : first && options_.must_call ? Calls::Required
                                                      : Calls::Allowed;
    const auto written = write(calls, listener, exchange);
    if (!written) return fail(written.error());
    if (written->call) {
      runCall(*written, listener, exchange);
      continue;
    }
    exchange.answer = model::pythonStrip(written->text);
    exchange.complete = written->complete;
    Message message{.role = Role::Assistant};
    message.content = exchange.answer;
    chat_.messages.push_back(std::move(message));
    return exchange;
  }
}

// Runs the call and appends it and its result to the conversation.
void Conversation::runCall(const Written& written, Listener& listener, Exchange& exchange) {
  Message message{.role = Role::Assistant};
  message.content = model::pythonStrip(written.text);
  Call call;
  auto parsed = model::parseAnswer(*written.call);
  if (parsed && parsed->tool_calls.size() == 1) {
    message.tool_calls = parsed->tool_calls;
    call.call = std::move(parsed->tool_calls[0]);
    listener.call(call.call);
    call.result = tool_->run(call.call);
  } else {  // a kernel may hold tags of the format
    message.content += *written.call;
    call.result.response =
        parsed ? "error: the tool call is not well-formed" : parsed.error().text();
  }
  listener.result(call.result);
  Message response{.role = Role::Tool};
  response.content = call.result.response;
  exchange.calls.push_back(std::move(call));
  chat_.messages.push_back(std::move(message));
  chat_.messages.push_back(std::move(response));
}

Expected<std::vector<TokenId>> Conversation::rendered(bool generation_prompt) const {
  model::Chat chat = chat_;
  chat.generation_prompt = generation_prompt;
  const auto parts = renderChat(chat);
  if (!parts) return fail(parts.error());
  return partner_->tokenizer().encode(*parts);
}

// The logits before the first token of an answer.
Expected<std::vector<float>> Conversation::prompt() {
  const auto stable = rendered(false);
  if (!stable) return fail(stable.error());
  const auto tokens = rendered(true);
  if (!tokens) return fail(tokens.error());
  if (auto begun = partner_->beginAnswer(); !begun) return fail(std::move(begun.error()));
  // A new conversation in the same mode shares what stands before its first question.
  const auto begins = [&](TokenId token) { return token == control_.turn; };
  const auto first = std::ranges::find_if(*tokens, begins);
  const auto second =
      first == tokens->end() ? first : std::find_if(first + 1, tokens->end(), begins);
  const std::size_t marks[] = {static_cast<std::size_t>(second - tokens->begin()), stable->size()};
  return reading_.read(*tokens, marks);
}

Expected<Conversation::Written> Conversation::write(Calls calls, Listener& listener,
                                                    Exchange& exchange) {
  const std::size_t fed = reading_.tokensFed();
  auto logits = prompt();
  exchange.tokens_read += reading_.tokensFed() - fed;
  AnswerMask mask(partner_->tokenizer(), control_, vocabulary_, tool_->grammar(), calls,
                  options_.max_tokens);
  Written written;
  std::string call;
  model::TokenStream stream(partner_->tokenizer());
  while (logits) {
    mask.apply(*logits);
    const auto token = sampler_.pick(*logits);
    if (!token) return fail(token.error());
    mask.follow(*token);
    ++exchange.tokens_written;
    if (mask.inCall() || mask.called()) {
      call += partner_->tokenizer().bytes(*token);
    } else if (const std::string piece = stream.add(*token); !piece.empty()) {
      written.text += piece;
      listener.text(piece);
    }
    if (mask.done() || (!mask.inCall() && listener.stop())) break;
    logits = reading_.append(*token);
  }
  if (!logits) return fail(logits.error());
  if (const std::string rest = stream.finish(); !rest.empty()) {
    written.text += rest;
    listener.text(rest);
  }
  if (mask.called()) written.call = std::move(call);
  written.complete = mask.finished();
  return written;
}

}  // namespace qgpu::chat
