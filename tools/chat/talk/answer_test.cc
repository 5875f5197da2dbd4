// Answers drawn from random logits: whatever a model wants, its calls are well-formed and in time.
#include "tools/chat/talk/answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "interpreter/testing/sanitized.h"
#include "model/qwen/synthetic.h"
#include "model/text/chat.h"
#include "tools/chat/expression/expression.h"

namespace qgpu::chat {
namespace {

using isatest::unlessSanitized;
using model::TokenId;

class AnswerTest : public ::testing::Test {
 protected:
  // The text of an answer from logits that are random but for one favourite.
  std::string draw(const CallGrammar& grammar, Calls calls, std::size_t most, unsigned seed,
                   TokenId favourite) {
    AnswerMask mask(tokenizer_, control_, vocabulary_, grammar, calls, most);
    model::Sampler sampler({.temperature = 1.0, .seed = seed});
    std::mt19937 random(seed);
    std::string text;
    std::size_t written = 0;
    std::vector<float> logits(tokenizer_.size() + 30);  // the rows behind are padding
    while (!mask.done()) {
      for (float& logit : logits) logit = static_cast<float>(random() % 1000) / 200.0f;
      logits[favourite] += 5.0f;
      mask.apply(logits);
      const auto token = sampler.pick(logits);
      if (!token) {
        ADD_FAILURE() << token.error().text();
        break;
      }
      mask.follow(*token);
      text += tokenizer_.bytes(*token);
      ++written;
    }
    called_ = mask.called();
    EXPECT_LE(written, most);
    EXPECT_FALSE(mask.inCall()) << "no call is cut: " << text;
    return text;
  }

  model::Tokenizer tokenizer_ =
      model::Tokenizer::open(QGPU_SOURCE_DIR "/model/testdata/tokenizer/tokenizer.json").value();
  ControlTokens control_ = ControlTokens::of(tokenizer_).value();
  Vocabulary vocabulary_ = Vocabulary::create(tokenizer_).value();
  CallGrammar expression_ = CallGrammar::expression("calculate", "expression");
  CallGrammar kernel_ = CallGrammar::kernel("cuda");
  bool called_ = false;
};

TEST_F(AnswerTest, CallsAreWellFormedWhateverTheModelWants) {
  int calls = 0;
  constexpr unsigned kAnswers = unlessSanitized(60u, 12u);
  for (unsigned seed = 0; seed < kAnswers; ++seed) {
    const bool calculates = seed % 3 != 0;
    const std::string text = draw(calculates ? expression_ : kernel_, Calls::Allowed, 40 + 8 * seed,
                                  seed, control_.call);
    if (!called_) continue;
    ++calls;
    const auto message = model::parseAnswer(text.substr(text.find("<tool_call>")));
    ASSERT_TRUE(message) << text;
    ASSERT_EQ(message->tool_calls.size(), 1u);
    if (!calculates) continue;
    const auto read = parseSyntax(message->tool_calls[0].arguments.at(0).second.get<std::string>());
    EXPECT_TRUE(read) << text << read.error().text();
  }
  EXPECT_GT(calls, static_cast<int>(kAnswers / 3));
}

TEST_F(AnswerTest, ARequiredCallComesFirst) {
  const std::string text = draw(expression_, Calls::Required, 300, 1, control_.ends[0]);
  EXPECT_TRUE(called_);
  EXPECT_TRUE(text.starts_with("<tool_call>")) << text;
}

TEST_F(AnswerTest, AForbiddenCallAndOneWithoutRoomDoNotCome) {
  EXPECT_EQ(draw(expression_, Calls::Never, 50, 1, control_.call).find("<tool_call>"),
            std::string::npos);
  EXPECT_FALSE(called_);
  EXPECT_EQ(draw(expression_, Calls::Required, 20, 1, control_.call).find("<tool_call>"),
            std::string::npos)
      << "20 tokens are too few";
  // Just enough room is enough, with the shortest expression.
  const std::size_t least = Recogniser(expression_).end().size() + 2;
  const std::string text = draw(expression_, Calls::Required, least, 1, control_.call);
  EXPECT_TRUE(called_) << text;
}

TEST_F(AnswerTest, TextHoldsNoControlTokensAndNoPadding) {
  AnswerMask mask(tokenizer_, control_, vocabulary_, expression_, Calls::Allowed, 1000);
  std::vector<float> logits(tokenizer_.size() + 30, 1.0f);
  mask.apply(logits);
  std::size_t added = 0;
  for (TokenId token = 0; token < logits.size(); ++token) {
    if (std::isinf(logits[token])) continue;
    ASSERT_LT(token, tokenizer_.size());
    added += tokenizer_.isAdded(token);
  }
  EXPECT_EQ(added, 1 + control_.ends.size());
}

}  // namespace
}  // namespace qgpu::chat
