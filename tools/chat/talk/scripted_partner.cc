#include <fmt/format.h>

#include "model/qwen/synthetic.h"
#include "tools/chat/talk/partner.h"

namespace qgpu::chat {
namespace {

constexpr model::TokenId kFirstAdded = 256;
constexpr float kCertain = 1000.0f;  // a logit beside zeros, at any temperature in use

class ScriptedPartner : public Partner {
 public:
  ScriptedPartner(std::vector<std::string> answers, Engine& engine)
      : tokenizer_(
            model::Tokenizer::parse(model::byteTokenizerJson(kFirstAdded), "tokenizer").value()),
        answers_(std::move(answers)),
        engine_(engine) {}

  const model::Tokenizer& tokenizer() const override { return tokenizer_; }

  Expected<std::vector<float>> read(std::span<const model::TokenId> /*tokens*/) override {
    return logits();
  }
  Expected<std::vector<float>> say(model::TokenId token) override {
    if (token != coming_[said_])
      return refuse(fmt::format("answer {} of the script says what is not allowed behind {}", next_,
                                quoted()),
                    "the grammar of tool calls and the token budget decide what is");
    ++said_;
    return logits();
  }

  Expected<void> beginAnswer() override {
    if (next_ == answers_.size())
      return refuse(fmt::format("the script ends after {} answers", answers_.size()),
                    "add the answers that are missing");
    auto tokens = tokenizer_.encode(answers_[next_++]);
    if (!tokens) return fail(std::move(tokens.error()));
    coming_ = std::move(*tokens);
    coming_.push_back(tokenizer_.addedToken("<|im_end|>").value());
    said_ = 0;
    return {};
  }

  void restart() override {}
  model::TextState mark() const override { return {}; }
  void rewind(const model::TextState& /*mark*/) override {}
  Engine& machine() override { return engine_; }

 private:
  std::vector<float> logits() const {
    std::vector<float> result(tokenizer_.size(), 0.0f);
    result[coming_[said_]] = kCertain;
    return result;
  }
  std::string quoted() const {
    const std::size_t from = said_ > 40 ? said_ - 40 : 0;
    return '"' + tokenizer_.decode(std::span(coming_).subspan(from, said_ - from)) + '"';
  }

  model::Tokenizer tokenizer_;
  std::vector<std::string> answers_;
  Engine& engine_;
  std::size_t next_ = 0;
  std::vector<model::TokenId> coming_;
  std::size_t said_ = 0;
};

}  // namespace

std::unique_ptr<Partner> scriptedPartner(std::vector<std::string> answers, Engine& engine) {
  return std::make_unique<ScriptedPartner>(std::move(answers), engine);
}

}  // namespace qgpu::chat
