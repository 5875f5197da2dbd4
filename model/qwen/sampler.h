// From logits to the next token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interpreter/base/failure.h"
#include "model/text/token_id.h"

namespace qgpu::model {

// The largest logit's token; of equal ones the lowest id. Refused: a NaN, or no logit above minus
// infinity.
Expected<TokenId> argmax(std::span<const float> logits);

struct SamplingOptions {
  double temperature = 0.0;  // 0: greedy
  std::size_t top_k = 0;     // only the k most likely tokens; 0: all
  double top_p = 1.0;        // only the fewest most likely tokens that reach this probability
  std::uint64_t seed = 0;
};

// A candidate for the next token and its probability among all candidates.
struct Candidate {
  TokenId token = 0;
  double probability = 0.0;
};

// What sampling may choose from, most likely first, equal ones by id: the temperature, then top_k,
// then top_p (of what top_k left), then renormalised, as transformers' logits processors do. In
// double.
std::vector<Candidate> candidates(std::span<const float> logits, const SamplingOptions& options);

// Draws tokens; the same seed and logits give the same tokens on every machine.
class Sampler {
 public:
  explicit Sampler(const SamplingOptions& options) : options_(options), random_(options.seed) {}
  Expected<TokenId> pick(std::span<const float> logits);

 private:
  double uniform();  // in [0, 1)

  SamplingOptions options_;
  std::uint64_t random_;
};

}  // namespace qgpu::model
