#include "model/qwen/sampler.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <map>

#include "interpreter/base/safetensors.h"
#include "model/testing/temporary_folder.h"

namespace qgpu::model {
namespace {

// "i.temperature.k.p", where the temperature and p have one decimal point each.
SamplingOptions optionsOf(const std::string& key) {
  double temperature = 0.0;
  double top_p = 0.0;
  unsigned index = 0;
  unsigned top_k = 0;
  check(std::sscanf(key.c_str(), "%u.%lf.%u.%lf", &index, &temperature, &top_k, &top_p) == 4,
        "the record's keys have four parts");
  return {.temperature = temperature, .top_k = top_k, .top_p = top_p};
}

// Against transformers' logits processors, through tools/oracle/make_models.py. They compute in
// fp32, we in double.
TEST(SamplerReference, TheSameCandidatesAndProbabilities) {
  const auto record = Safetensors::open(testData("models/sampling.safetensors"));
  ASSERT_TRUE(record);
  int cases = 0;
  for (const auto& [key, tensor] : record->tensors()) {
    if (key.ends_with("logits")) continue;
    ++cases;
    const auto logits = record->find(key.substr(0, 2) + "logits")->as<float>();
    const auto expected = tensor.as<float>();
    std::map<TokenId, double> ours;
    for (const Candidate& c : candidates(logits, optionsOf(key))) ours[c.token] = c.probability;
    for (TokenId token = 0; token < expected.size(); ++token) {
      EXPECT_EQ(ours.contains(token), expected[token] > 0.0f) << key << " token " << token;
      if (ours.contains(token)) {
        EXPECT_NEAR(ours[token], expected[token], 1e-6) << key;
      }
    }
  }
  EXPECT_EQ(cases, 5);
}

TEST(Sampler, FrequenciesFollowTheProbabilities) {
  const std::vector<float> logits = {0.0f, 1.0f, -1.0f, 3.0f, -INFINITY};
  const SamplingOptions options{.temperature = 1.3, .seed = 11};
  Sampler sampler(options);
  std::map<TokenId, int> counts;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) ++counts[sampler.pick(logits).value()];
  EXPECT_FALSE(counts.contains(4));
  double sum = 0.0;
  for (const Candidate& c : candidates(logits, options)) {
    sum += c.probability;
    const double deviation = std::sqrt(c.probability * (1 - c.probability) * kDraws);
    EXPECT_NEAR(counts[c.token], c.probability * kDraws, 5 * deviation) << c.token;
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
}

TEST(Sampler, GreedyAndTies) {
  EXPECT_EQ(argmax(std::vector<float>{1, 3, 3, 2}).value(), 1u);
  EXPECT_EQ(argmax(std::vector<float>{-INFINITY, -3}).value(), 1u);
  EXPECT_FALSE(argmax(std::vector<float>{}));
  EXPECT_FALSE(argmax(std::vector<float>{-INFINITY, -INFINITY}));
  EXPECT_FALSE(argmax(std::vector<float>{1, NAN}));
  EXPECT_EQ(Sampler({}).pick(std::vector<float>{1, 5, 2}).value(), 1u);
  EXPECT_EQ(candidates(std::vector<float>{2, 2, 2, 2}, {.temperature = 1, .top_k = 2}).size(), 2u);
  EXPECT_EQ(candidates(std::vector<float>{2, 2, 2, 2}, {.temperature = 1, .top_p = 0.0}).size(),
            1u);
}

}  // namespace
}  // namespace qgpu::model
