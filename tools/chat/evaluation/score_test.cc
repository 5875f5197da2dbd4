#include "tools/chat/evaluation/score.h"

#include <gtest/gtest.h>

namespace qgpu::chat {
namespace {

TEST(Says, NumbersInTheirOrder) {
  EXPECT_TRUE(says("The result is 32.", {32}));
  EXPECT_TRUE(says("**[[19, 22], [43, 50]]**", {19, 22, 43, 50}));
  EXPECT_TRUE(says("0 occurs 3 times, 1 occurs 5 times", {3, 5}));
  EXPECT_TRUE(says("It is 83,810,205 in all", {83810205}));
  EXPECT_TRUE(says("[100,200]", {100, 200}));
  EXPECT_TRUE(says("-7, 0 and \xe2\x88\x92\x33", {-7, 0, -3}));
  EXPECT_TRUE(says("-5", {-5}));
  EXPECT_TRUE(says("32.0", {32}));
  EXPECT_TRUE(says("1,000,000 and 2", {1000000, 2}));
}

TEST(Says, NothingElse) {
  EXPECT_FALSE(says("", {1}));
  EXPECT_FALSE(says("thirty-two", {32}));
  EXPECT_FALSE(says("132", {32}));
  EXPECT_FALSE(says("-32", {32}));
  EXPECT_FALSE(says("32", {-32}));
  EXPECT_FALSE(says("x-32", {-32})) << "a joint, not a sign";
  EXPECT_FALSE(says("50, 43", {43, 50}));
  EXPECT_FALSE(says("43", {43, 50}));
  EXPECT_FALSE(says("99999999999999999999", {99}));
}

Call call(bool good, std::vector<std::int64_t> values, bool launched = true) {
  Call result;
  result.result.good = good;
  result.result.values = {{"out", std::move(values)}};
  if (launched) result.result.launches.resize(1);
  return result;
}

TEST(Score, TheNumbersMustComeFromALaunchAndBeSaid) {
  const Question question{"q", Mode::Normal, "", {32}, {}};
  const auto score = [&](std::vector<Call> calls, std::string answer) {
    Exchange exchange;
    exchange.calls = std::move(calls);
    exchange.answer = std::move(answer);
    return scoreOf(question, exchange);
  };
  EXPECT_TRUE(score({call(true, {32})}, "It is 32.").correct());
  EXPECT_FALSE(score({}, "It is 32.").correct()) << "guessed";
  EXPECT_TRUE(score({}, "It is 32.").answered);
  EXPECT_FALSE(score({call(true, {32}, false)}, "It is 32.").correct()) << "a literal";
  EXPECT_FALSE(score({call(true, {31})}, "It is 32.").correct());
  EXPECT_FALSE(score({call(true, {32})}, "It is 33.").correct());
  EXPECT_TRUE(score({call(false, {}), call(true, {32})}, "32").correct());
  EXPECT_FALSE(score({call(false, {}), call(true, {32})}, "32").first_try);
  EXPECT_TRUE(score({call(true, {32})}, "32").first_try);
  EXPECT_FALSE(score({call(true, {32}), call(true, {7})}, "32").correct()) << "the last one counts";
}

}  // namespace
}  // namespace qgpu::chat
