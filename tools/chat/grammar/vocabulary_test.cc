// Which tokens may stand next: the walk over the whole vocabulary against asking for each token.
#include "tools/chat/grammar/vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "interpreter/testing/sanitized.h"
#include "model/qwen/synthetic.h"
#include "model/text/chat.h"
#include "tools/chat/expression/expression.h"

namespace qgpu::chat {
namespace {

using isatest::unlessSanitized;
using model::TokenId;
using model::Tokenizer;

const CallGrammar kExpression = CallGrammar::expression("calculate", "expression");
const CallGrammar kKernel = CallGrammar::kernel("cuda");

const Tokenizer& trained() {
  static const Tokenizer tokenizer =
      Tokenizer::open(QGPU_SOURCE_DIR "/model/testdata/tokenizer/tokenizer.json").value();
  return tokenizer;
}
const Tokenizer& singleBytes() {
  static const Tokenizer tokenizer =
      Tokenizer::parse(model::byteTokenizerJson(256), "tokenizer.json").value();
  return tokenizer;
}

std::vector<TokenId> byAsking(const Tokenizer& tokenizer, const Recogniser& at,
                              std::size_t budget) {
  std::vector<TokenId> tokens;
  for (TokenId token = 0; token < tokenizer.size(); ++token) {
    if (tokenizer.isAdded(token) || tokenizer.bytes(token).empty()) continue;
    Recogniser next = at;
    if (next.accept(tokenizer.bytes(token)) && budget > 0 && endsWithin(next, budget - 1))
      tokens.push_back(token);
  }
  return tokens;
}

// Draws tokens at random among those allowed until the call is complete.
std::string drawn(const Tokenizer& tokenizer, const Vocabulary& vocabulary,
                  const CallGrammar& grammar, std::size_t budget, unsigned seed, bool compare) {
  std::mt19937 random(seed);
  std::string body;
  Recogniser at(grammar);
  std::vector<TokenId> allowed;
  while (!at.complete()) {
    vocabulary.allowed(at, budget, allowed);
    std::ranges::sort(allowed);
    if (compare) {
      EXPECT_EQ(allowed, byAsking(tokenizer, at, budget)) << body;
    }
    if (allowed.empty()) {
      ADD_FAILURE() << "no token may stand behind " << body << " with " << budget << " left";
      return body;
    }
    const std::string_view bytes = tokenizer.bytes(allowed[random() % allowed.size()]);
    EXPECT_TRUE(at.accept(bytes));
    body += bytes;
    --budget;
  }
  return body;
}

TEST(Vocabulary, WhatIsAllowedIsWhatEachTokenSays) {
  for (const Tokenizer* tokenizer : {&trained(), &singleBytes()}) {
    const auto vocabulary = Vocabulary::create(*tokenizer).value();
    for (unsigned seed = 0; seed < unlessSanitized(6u, 2u); ++seed) {
      const CallGrammar& grammar = seed % 2 ? kKernel : kExpression;
      const std::size_t least = Recogniser(grammar).end().size();
      drawn(*tokenizer, vocabulary, grammar, least + 40 * seed, seed, true);
    }
  }
}

TEST(Vocabulary, AnyDrawIsACallWithinItsBudget) {
  const auto vocabulary = Vocabulary::create(trained()).value();
  std::size_t operations = 0;
  constexpr unsigned kDraws = unlessSanitized(300u, 40u);
  for (unsigned seed = 0; seed < kDraws; ++seed) {
    const std::size_t budget = Recogniser(kExpression).end().size() + seed;
    const std::string body = drawn(trained(), vocabulary, kExpression, budget, seed, false);
    const auto message = model::parseAnswer("<tool_call>" + body + "</tool_call>");
    ASSERT_TRUE(message) << body;
    const auto read =
        parseSyntax(message->tool_calls.at(0).arguments.at(0).second.get<std::string>());
    ASSERT_TRUE(read) << body << read.error().text();
    operations += read->steps.size();
  }
  EXPECT_GT(operations, 3 * kDraws);
}

TEST(Vocabulary, ATokenizerWithoutSomeByteIsRefused) {
  std::string json = model::byteTokenizerJson(256);
  const std::string entry = "\"a\":97,";
  const std::size_t at = json.find(entry);
  ASSERT_NE(at, std::string::npos);
  json.erase(at, entry.size());
  const auto tokenizer = Tokenizer::parse(json, "tokenizer.json");
  EXPECT_FALSE(tokenizer && Vocabulary::create(*tokenizer)) << "by one or the other";
}

}  // namespace
}  // namespace qgpu::chat
