#include "tools/chat/talk/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace qgpu::chat {

using model::TokenId;

namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();
// Behind the grammar's text: </tool_call>.
constexpr std::size_t kTokensBehindCall = 1;

}  // namespace

Expected<ControlTokens> ControlTokens::of(const model::Tokenizer& tokenizer) {
  const auto find = [&](const char* name) -> Expected<TokenId> {
    const auto token = tokenizer.addedToken(name);
    if (token) return *token;
    return refuse(fmt::format("the tokenizer has no {}", name),
                  "use the tokenizer.json that came with a Qwen3.5 model");
  };
  ControlTokens control;
  const auto turn = find("<|im_start|>"), end = find("<|im_end|>");
  const auto call = find("<tool_call>"), call_end = find("</tool_call>");
  for (const auto& token : {turn, end, call, call_end})
    if (!token) return fail(token.error());
  control.turn = *turn;
  control.call = *call;
  control.call_end = *call_end;
  control.ends = {*end};
  if (const auto text_end = tokenizer.addedToken("<|endoftext|>"))
    control.ends.push_back(*text_end);
  return control;
}

AnswerMask::AnswerMask(const model::Tokenizer& tokenizer, const ControlTokens& control,
                       const Vocabulary& vocabulary, const CallGrammar& grammar, Calls calls,
                       std::size_t most)
    : tokenizer_(tokenizer),
      control_(control),
      vocabulary_(vocabulary),
      at_(grammar),
      calls_(calls),
      left_(most) {}

bool AnswerMask::callMayBegin() const {
  return calls_ != Calls::Never && left_ > kTokensBehindCall &&
         endsWithin(at_, left_ - 1 - kTokensBehindCall);
}

void AnswerMask::allowOnly(std::span<const TokenId> tokens, std::span<float> logits) {
  kept_.clear();
  for (const TokenId token : tokens) kept_.push_back(logits[token]);
  std::ranges::fill(logits, kForbidden);
  for (std::size_t i = 0; i < tokens.size(); ++i) logits[tokens[i]] = kept_[i];
}

void AnswerMask::apply(std::span<float> logits) {
  switch (place_) {
    case Place::Text: {
      if (first_ && calls_ == Calls::Required && callMayBegin())
        return allowOnly({&control_.call, 1}, logits);
      for (TokenId token = 0; token < logits.size(); ++token)
        if (tokenizer_.isAdded(token) || token >= tokenizer_.size() ||
            tokenizer_.bytes(token).empty()) {
          const bool ends = std::ranges::find(control_.ends, token) != control_.ends.end();
          const bool calls = token == control_.call && callMayBegin();
          if (!ends && !calls) logits[token] = kForbidden;
        }
      return;
    }
    case Place::Call:
      vocabulary_.allowed(at_, left_ - kTokensBehindCall, allowed_);
      check(!allowed_.empty(), "a call can always go on to its end");
      return allowOnly(allowed_, logits);
    case Place::CallEnd: return allowOnly({&control_.call_end, 1}, logits);
    case Place::Done: return allowOnly(control_.ends, logits);
  }
}

void AnswerMask::follow(TokenId token) {
  --left_;
  first_ = false;
  switch (place_) {
    case Place::Text:
      if (token == control_.call) place_ = Place::Call;
      if (std::ranges::find(control_.ends, token) != control_.ends.end()) place_ = Place::Done;
      break;
    case Place::Call:
      check(at_.accept(tokenizer_.bytes(token)), "a call stays inside its grammar");
      if (at_.complete()) place_ = Place::CallEnd;
      break;
    case Place::CallEnd:
      called_ = true;
      place_ = Place::Done;
      break;
    case Place::Done: break;
  }
}

}  // namespace qgpu::chat
