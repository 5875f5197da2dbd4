// The recurrence of gated_delta_net.h. Columns of S do not meet, so a few of them pass a whole
// block of tokens before the next ones do: in a copy of their own, which stays in the first-level
// cache.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "model/layers/gated_delta_net.h"
#include "model/layers/linear.h"

namespace qgpu::model {
namespace {

// As in linear.cc: only ever local variables of functions that are inlined into the two builds.
using Float8 = float __attribute__((vector_size(32)));

constexpr std::size_t kVectors = 4;
constexpr std::size_t kColumns = kVectors * sizeof(Float8) / sizeof(float);

// kColumns columns of one row of S, of a value or of an output. (The alignment of a vector type
// depends on the processor that is compiled for; memory that is shared by builds states its own.)
struct alignas(sizeof(Float8)) Columns {
  Float8 part[kVectors];
};

// S <- e^g S;  d = beta (v - S^T k);  S <- S + k d^T;  returns S^T q.
[[gnu::always_inline]] inline void step(const DeltaRuleToken& token, float decay,
                                        const Columns& value, std::vector<Columns>& memory,
                                        Columns& output) {
  Columns d{};
  for (std::size_t i = 0; i < memory.size(); ++i)
#pragma GCC unroll 4
    for (std::size_t c = 0; c < kVectors; ++c) {
      const Float8 s = memory[i].part[c] * decay;
      memory[i].part[c] = s;
      d.part[c] += s * token.key[i];
    }
#pragma GCC unroll 4
  for (std::size_t c = 0; c < kVectors; ++c) d.part[c] = (value.part[c] - d.part[c]) * token.beta;
  output = {};
  for (std::size_t i = 0; i < memory.size(); ++i)
#pragma GCC unroll 4
    for (std::size_t c = 0; c < kVectors; ++c) {
      const Float8 s = memory[i].part[c] + token.key[i] * d.part[c];
      memory[i].part[c] = s;
      output.part[c] += s * token.query[i];
    }
}

// Columns past the last are zeros, and stay so.
[[gnu::always_inline]] inline void run(std::span<const DeltaRuleToken> tokens, std::size_t key_dim,
                                       std::size_t value_dim, float* state, float* output) {
  std::vector<float> decay;
  for (const DeltaRuleToken& token : tokens) decay.push_back(std::exp(token.log_decay));
  std::vector<Columns> memory(key_dim);
  for (std::size_t first = 0; first < value_dim; first += kColumns) {
    const std::size_t bytes = std::min(kColumns, value_dim - first) * sizeof(float);
    for (std::size_t i = 0; i < key_dim; ++i)
      std::memcpy(&memory[i], state + i * value_dim + first, bytes);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      Columns value{}, read;
      std::memcpy(&value, tokens[t].value + first, bytes);
      step(tokens[t], decay[t], value, memory, read);
      std::memcpy(output + t * value_dim + first, &read, bytes);
    }
    for (std::size_t i = 0; i < key_dim; ++i)
      std::memcpy(state + i * value_dim + first, &memory[i], bytes);
  }
}

}  // namespace

[[gnu::target("avx2")]] void deltaRuleAvx2(std::span<const DeltaRuleToken> tokens,
                                           std::size_t key_dim, std::size_t value_dim, float* state,
                                           float* output) {
  run(tokens, key_dim, value_dim, state, output);
}

void deltaRulePortable(std::span<const DeltaRuleToken> tokens, std::size_t key_dim,
                       std::size_t value_dim, float* state, float* output) {
  run(tokens, key_dim, value_dim, state, output);
}

void deltaRule(std::span<const DeltaRuleToken> tokens, std::size_t key_dim, std::size_t value_dim,
               float* state, float* output) {
  const auto build = hasAvx2() ? deltaRuleAvx2 : deltaRulePortable;
  build(tokens, key_dim, value_dim, state, output);
}

}  // namespace qgpu::model
