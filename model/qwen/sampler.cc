#include "model/qwen/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace qgpu::model {

Expected<TokenId> argmax(std::span<const float> logits) {
  float best = -std::numeric_limits<float>::infinity();
  std::size_t winner = logits.size();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i]))
      return refuse("the model's logits are not numbers", "check the weights");
    if (logits[i] > best) {
      best = logits[i];
      winner = i;
    }
  }
  if (winner == logits.size()) return refuse("every token is forbidden here");
  return static_cast<TokenId>(winner);
}

std::vector<Candidate> candidates(std::span<const float> logits, const SamplingOptions& options) {
  std::vector<Candidate> result;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (logits[i] > -std::numeric_limits<float>::infinity())
      result.push_back({static_cast<TokenId>(i), logits[i] / options.temperature});
  const auto likelier = [](const Candidate& a, const Candidate& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.token < b.token;
  };
  if (options.top_k > 0 && options.top_k < result.size()) {
    const auto end = result.begin() + static_cast<std::ptrdiff_t>(options.top_k);
    std::partial_sort(result.begin(), end, result.end(), likelier);
    result.erase(end, result.end());
  } else {
    std::sort(result.begin(), result.end(), likelier);
  }
  if (result.empty()) return result;

  const auto normalise = [&] {
    double sum = 0.0;
    for (const Candidate& c : result) sum += c.probability;
    for (Candidate& c : result) c.probability /= sum;
  };
  const double maximum = result.front().probability;
  for (Candidate& c : result) c.probability = std::exp(c.probability - maximum);
  normalise();
  double reached = 0.0;
  std::size_t kept = 0;
  while (kept < result.size() && (kept == 0 || reached < options.top_p))
    reached += result[kept++].probability;
  result.resize(kept);
  normalise();
  return result;
}

double Sampler::uniform() {
  // SplitMix64 (Steele, Lea and Flood, 2014).
  random_ += 0x9e3779b97f4a7c15u;
  std::uint64_t z = random_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1.0p-53;
}

Expected<TokenId> Sampler::pick(std::span<const float> logits) {
  auto best = argmax(logits);
  if (!best || options_.temperature <= 0.0) return best;
  double left = uniform();
  const std::vector<Candidate> choices = candidates(logits, options_);
  for (const Candidate& choice : choices) {
    if (left < choice.probability) return choice.token;
    left -= choice.probability;
  }
  return choices.front().token;  // the probabilities' sum was a rounding error short of 1
}

}  // namespace qgpu::model
