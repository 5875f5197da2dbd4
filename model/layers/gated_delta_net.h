// The Gated DeltaNet mixer (Yang et al., "Gated Delta Networks", 2024) as Qwen3.5 stores and
// evaluates it: a causal depthwise convolution, then per head a matrix memory S that decays, is
// corrected towards the token's value under the token's key, and is read with its query.
//
// With n the normed input of one token:
//
//   u = Wqkv n     z = Wz n     b = Wb n     a = Wa n
//   c = silu(conv(u))                        over this token and the kernel - 1 before it
//   q, k, v = split(c)
//   beta = sigmoid(b)     g = -exp(A_log) * softplus(a + dt_bias)
//   q^ = q / |q| / sqrt(key_dim)     k^ = k / |k|
//   S <- exp(g) S;   d = beta (v - S^T k^);   S <- S + k^ d^T;   o = S^T q^     (the new S)
//   out = Wout gatedRmsNorm(o, z)
//
// Tokens run one after another: the recurrence is used for prefill too, so feeding a text in one
// block or token by token gives the same bits. |x| is sqrt(sum x^2 + 1e-6).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/layers/rounding.h"
#include "model/layers/tensor.h"
#include "model/layers/workers.h"

namespace qgpu::model {

struct GatedDeltaNetShape {
  std::size_t hidden = 0;
  std::size_t key_heads = 0;
  std::size_t value_heads = 0;  // a multiple of key_heads; value head h uses key head
                                // h / (value_heads / key_heads)
  std::size_t key_dim = 0;      // of one head
  std::size_t value_dim = 0;    // of one head
  std::size_t conv_kernel = 4;
  float eps = 1e-6f;  // of the gated norm

  std::size_t keyWidth() const { return key_heads * key_dim; }
  std::size_t valueWidth() const { return value_heads * value_dim; }
  std::size_t convWidth() const { return 2 * keyWidth() + valueWidth(); }
};

// Stock names and shapes. Channels are head-major: head h owns `dim` consecutive ones.
struct GatedDeltaNetWeights {
  WeightView in_proj_qkv;  // [convWidth, hidden]: the rows of q, then k, then v
  WeightView in_proj_z;    // [valueWidth, hidden]
  WeightView in_proj_b;    // [value_heads, hidden]
  WeightView in_proj_a;    // [value_heads, hidden]
  WeightView conv1d;       // [convWidth, conv_kernel]; the last tap multiplies the current token
  WeightView dt_bias;      // [value_heads]
  WeightView a_log;        // [value_heads]
  WeightView norm;         // [value_dim], one vector for all heads
  WeightView out_proj;     // [hidden, valueWidth]
};

struct GatedDeltaNetState {
  GatedDeltaNetState() = default;
  explicit GatedDeltaNetState(const GatedDeltaNetShape& shape);

  std::vector<float> conv;       // [conv_kernel - 1][convWidth]: the last u, oldest first
  std::vector<float> recurrent;  // S: [value_heads][key_dim][value_dim], always binary32
  friend bool operator==(const GatedDeltaNetState&, const GatedDeltaNetState&) = default;
};

// Runs the normed tokens `x` [tokens, hidden] through the mixer; `out` is resized to match.
template <Rounding kRounding>
void gatedDeltaNet(const GatedDeltaNetShape& shape, const GatedDeltaNetWeights& weights,
                   const Activations& x, GatedDeltaNetState& state, Activations& out,
                   Workers& workers);

// One head's five steps on S [key_dim][value_dim] at each of a block of tokens, with normalised
// keys and normalised and scaled queries; `output` is [tokens][value_dim]. Every sum over i runs
// upwards from i = 0.
struct DeltaRuleToken {
  const float* key = nullptr;
  const float* query = nullptr;
  const float* value = nullptr;
  float log_decay = 0.0f;  // g
  float beta = 0.0f;
};
void deltaRule(std::span<const DeltaRuleToken> tokens, std::size_t key_dim, std::size_t value_dim,
               float* state, float* output);

// Its two builds, as those of `multiply` (linear.h): both give the same bits.
void deltaRuleAvx2(std::span<const DeltaRuleToken> tokens, std::size_t key_dim,
                   std::size_t value_dim, float* state, float* output);
void deltaRulePortable(std::span<const DeltaRuleToken> tokens, std::size_t key_dim,
                       std::size_t value_dim, float* state, float* output);

}  // namespace qgpu::model
