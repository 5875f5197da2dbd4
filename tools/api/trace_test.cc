#include "tools/api/trace.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "interpreter/protocol/prompt.h"

namespace qgpu {
namespace {

using protocol::Token;

std::vector<Token> anyTokens() {
  const auto ids = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<int>>(rc::gen::inRange(0, protocol::vocabulary())));
  std::vector<Token> tokens;
  for (const int id : ids) tokens.push_back(*Token::fromId(id));
  return tokens;
}

RC_GTEST_PROP(TraceTest, ParsesWhatItFormats, ()) {
  const std::vector<Token> tokens = anyTokens();
  const auto parsed = parseTrace(formatTrace(tokens), "t");
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(*parsed == tokens);
}

RC_GTEST_PROP(TraceTest, PutsEveryWordTogetherAgain, (std::uint32_t word, bool in_memory)) {
  const int low = in_memory ? protocol::kMemBits : protocol::kValBits;
  const Token base = in_memory ? Token::mem(5, protocol::partOf(word, low, 0))
                               : Token::val(3, 0, protocol::partOf(word, low, 0));
  std::vector<Token> tokens;
  protocol::appendWord(tokens, base, word, protocol::partsNeeded(word, low));
  tokens.push_back(Token::halt());
  const auto items = itemsOf(tokens);
  RC_ASSERT(items.size() == 2u);
  RC_ASSERT(items[0].word == word);
  RC_ASSERT(items[0].tokens == tokens.size() - 1);
  RC_ASSERT(items[1].first == tokens.size() - 1);
}

RC_GTEST_PROP(TraceTest, ItemsCoverEveryTokenOnce, ()) {
  const std::vector<Token> tokens = anyTokens();
  std::size_t next = 0;
  for (const TraceItem& item : itemsOf(tokens)) {
    RC_ASSERT(item.first == next);
    next += item.tokens;
  }
  RC_ASSERT(next == tokens.size());
}

TEST(TraceTest, RefusesWithTheLine) {
  const auto bad = parseTrace("HALT\nEXEC 99 0 1111\n", "x.trace");
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().location, (Location{"x.trace", 2, 1}));
  EXPECT_FALSE(parseTrace("", "x.trace").has_value());
}

TEST(TraceTest, TheHostsPartEndsWithTheFirstThreadBlock) {
  const std::vector<Token> tokens = {Token::grid(2), Token::cta(0, 4), Token::exec(0, 0, 15),
                                     Token::cta(1, 4)};
  EXPECT_EQ(hostLength(tokens), 2u);
  EXPECT_EQ(hostLength(std::vector{Token::halt()}), 1u);
}

}  // namespace
}  // namespace qgpu
