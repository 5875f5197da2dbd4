#include "model/qwen/text_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "model/qwen/generate.h"
#include "model/qwen/synthetic.h"
#include "model/testing/temporary_folder.h"

namespace qgpu::model {
namespace {

using ::testing::HasSubstr;

// One synthetic checkpoint for all tests.
const std::filesystem::path& checkpointFolder() {
  static const TemporaryFolder folder;
  static const bool written =
      writeSyntheticCheckpoint(folder.path(), {.config = tinyConfig(), .seed = 3}).has_value();
  check(written, "the synthetic checkpoint is written");
  return folder.path();
}
TextModel openModel(Rounding rounding, int threads = 1) {
  return std::move(
      *TextModel::open(checkpointFolder(), {.rounding = rounding, .threads = threads}));
}

std::vector<TokenId> someTokens(std::size_t count, unsigned seed) {
  std::vector<TokenId> tokens;
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    tokens.push_back((seed >> 8) % 320);
  }
  return tokens;
}

bool sameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), 4 * a.size()) == 0;
}

class Cuts : public ::testing::TestWithParam<Rounding> {};
INSTANTIATE_TEST_SUITE_P(Roundings, Cuts, ::testing::Values(Rounding::Float32, Rounding::Bfloat16));

TEST_P(Cuts, HowATextIsCutAndHowManyThreadsRunChangesNoBit) {
  TextModel model = openModel(GetParam());
  TextModel threaded = openModel(GetParam(), 3);
  const std::vector<TokenId> tokens = someTokens(75, 1);
  TextState whole = model.newState();
  const std::vector<float> expected = *model.feed(tokens, whole);
  for (const std::size_t cut : {1u, 2u, 7u, 33u, 64u}) {
    TextState state = threaded.newState();
    std::vector<float> logits;
    for (std::size_t i = 0; i < tokens.size(); i += cut)
      logits =
          *threaded.feed(std::span(tokens).subspan(i, std::min(cut, tokens.size() - i)), state);
    EXPECT_TRUE(sameBits(logits, expected)) << cut;
    EXPECT_EQ(state, whole) << cut;
  }
}

TEST_P(Cuts, FeedAllIsFeedAtEveryToken) {
  TextModel model = openModel(GetParam());
  const std::vector<TokenId> tokens = someTokens(40, 2);
  TextState state = model.newState();
  const Activations all = *model.feedAll(tokens, state);
  TextState step = model.newState();
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const std::vector<float> logits = *model.feed({&tokens[t], 1}, step);
    EXPECT_TRUE(sameBits(logits, {row(all, t).begin(), row(all, t).end()})) << t;
  }
  EXPECT_EQ(state, step);
}

TEST_P(Cuts, ACopiedStateIsAPointToComeBackTo) {
  TextModel model = openModel(GetParam());
  TextState state = model.newState();
  ASSERT_TRUE(model.feed(someTokens(10, 3), state));
  const TextState saved = state;
  const std::vector<float> first = *model.feed(someTokens(5, 4), state);
  ASSERT_TRUE(model.feed(someTokens(30, 5), state));
  state = saved;
  EXPECT_TRUE(sameBits(*model.feed(someTokens(5, 4), state), first));
}

TEST(TextModel, EveryTokenOfThePastMatters) {
  TextModel model = openModel(Rounding::Float32);
  std::vector<TokenId> tokens = someTokens(12, 6);
  TextState state = model.newState();
  const std::vector<float> expected = *model.feed(tokens, state);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::vector<TokenId> other = tokens;
    other[i] = (other[i] + 1) % 320;
    TextState other_state = model.newState();
    EXPECT_FALSE(sameBits(*model.feed(other, other_state), expected)) << i;
  }
}

TEST(TextModel, BadTokensAreRefusedAndLeaveTheStateAlone) {
  TextModel model = openModel(Rounding::Bfloat16);
  TextState state = model.newState();
  ASSERT_TRUE(model.feed(someTokens(3, 7), state));
  const TextState before = state;
  EXPECT_THAT(model.feed({}, state).error().text(), HasSubstr("no token"));
  EXPECT_THAT(model.feed(std::vector<TokenId>{1, 320}, state).error().text(),
              HasSubstr("token 320"));
  EXPECT_THAT(model.feed(std::vector<TokenId>(4096), state).error().text(),
              HasSubstr("4096 positions"));
  EXPECT_THAT(model.feedAll({}, state).error().text(), HasSubstr("no token"));
  EXPECT_EQ(state, before);
}

TEST(TextModel, TheObserverSeesEveryLayer) {
  TextModel model = openModel(Rounding::Bfloat16);
  TextState state = model.newState();
  std::vector<std::size_t> seen;
  ASSERT_TRUE(model.feed(someTokens(40, 8), state, [&](std::size_t layer, const Activations& x) {
    EXPECT_EQ(width(x), 64u);
    EXPECT_LE(tokenCount(x), 40u);
    seen.push_back(layer);
  }));
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}));  // two blocks
}

TEST(Generate, GreedyTakesTheBestTokenAndStops) {
  TextModel model = openModel(Rounding::Bfloat16);
  const std::vector<TokenId> prompt = someTokens(9, 9);
  TextState state = model.newState();
  const auto written = generate(model, state, prompt, {.max_tokens = 20});
  ASSERT_TRUE(written);
  ASSERT_EQ(written->size(), 20u);
  EXPECT_EQ(state.position, 9u + 19u);

  TextState by_hand = model.newState();
  std::vector<float> logits = *model.feed(prompt, by_hand);
  for (const TokenId token : *written) {
    ASSERT_EQ(std::max_element(logits.begin(), logits.end()) - logits.begin(), token);
    logits = *model.feed({&token, 1}, by_hand);
  }
  TextState again = model.newState();
  const auto stopped = generate(model, again, prompt, {.max_tokens = 20, .stop = {(*written)[4]}});
  EXPECT_LE(stopped->size(), 5u);
  EXPECT_EQ(stopped->back(), (*written)[4]);
}

TEST(Generate, SeededAndConstrained) {
  TextModel model = openModel(Rounding::Bfloat16);
  const auto run = [&](std::uint64_t seed, bool constrain) {
    GenerateOptions options{.sampling = {.temperature = 1.5, .seed = seed}, .max_tokens = 30};
    if (constrain)
      options.constrain = [](std::span<float> logits) {
        for (std::size_t i = 0; i < logits.size(); ++i)
          if (i % 5 != 0) logits[i] = -INFINITY;
      };
    TextState state = model.newState();
    return generate(model, state, someTokens(4, 10), options).value();
  };
  EXPECT_EQ(run(1, false), run(1, false));
  EXPECT_NE(run(1, false), run(2, false));
  for (const TokenId token : run(3, true)) EXPECT_EQ(token % 5, 0u);
}

TEST(Generate, TheCallerMayEndIt) {
  TextModel model = openModel(Rounding::Bfloat16);
  TextState state = model.newState();
  int count = 0;
  const auto written =
      generate(model, state, someTokens(4, 11), {.on_token = [&](TokenId) { return ++count < 3; }});
  EXPECT_EQ(written->size(), 3u);
  EXPECT_FALSE(generate(model, state, {}, {}));
  EXPECT_FALSE(generate(model, state, someTokens(1, 1), {.constrain = [](std::span<float> logits) {
                          std::fill(logits.begin(), logits.end(), -INFINITY);
                        }}));
}

}  // namespace
}  // namespace qgpu::model
