// Full attention as Qwen3.5 has it: grouped queries, RMS-normed queries and keys, rotary positions
// on the first part of each head, and a sigmoid gate on the output.
//
//   per query head: [query, gate] = Wq x     per key head: key = Wk x, value = Wv x
//   query, key <- rope(rmsNorm(.), position)
//   out = Wo ( softmax(query . keys / sqrt(head_dim)) values * sigmoid(gate) )
//
// Scores are dot products in the order of linear.h; the softmax subtracts the maximum and sums
// upwards from position 0; values are added up in order of position. With rounding to bfloat16 this
// is transformers' eager attention: scores, scaled scores, probabilities, mixed values, the gate's
// sigmoid and its product are rounded.
#pragma once

#include <cstddef>
#include <vector>

#include "model/layers/rounding.h"
#include "model/layers/tensor.h"
#include "model/layers/workers.h"

namespace qgpu::model {

struct AttentionShape {
  std::size_t hidden = 0;
  std::size_t query_heads = 0;
  std::size_t key_heads = 0;  // divides query_heads; query head h uses key head
                              // h / (query_heads / key_heads)
  std::size_t head_dim = 0;
  std::size_t rotary_dim = 0;  // even, at most head_dim
  double rope_theta = 0.0;
  float eps = 1e-6f;  // of the query and key norms
};

struct AttentionWeights {
  WeightView q_proj;  // [query_heads * 2 * head_dim, hidden]: for each head its query rows, then
                      // its gate rows
  WeightView k_proj;  // [key_heads * head_dim, hidden]
  WeightView v_proj;  // [key_heads * head_dim, hidden]
  WeightView o_proj;  // [hidden, query_heads * head_dim]
  WeightView q_norm;  // [head_dim], zero-centred
  WeightView k_norm;  // [head_dim], zero-centred
};

// The keys (normed and rotated) and values of every token so far.
struct KeyValueCache {
  KeyValueCache() = default;
  explicit KeyValueCache(const AttentionShape& shape)
      : keys(shape.key_heads), values(shape.key_heads) {}

  std::vector<std::vector<float>> keys;    // for each key head [tokens][head_dim]
  std::vector<std::vector<float>> values;  // for each key head [tokens][head_dim]
  friend bool operator==(const KeyValueCache&, const KeyValueCache&) = default;
};

// Runs the normed tokens `x` [tokens, hidden], the first of them at `position`, which is also the
// number of tokens in the cache; they are appended to it. `out` is resized to match `x`.
template <Rounding kRounding>
void attention(const AttentionShape& shape, const AttentionWeights& weights, const Activations& x,
               std::size_t position, KeyValueCache& cache, Activations& out, Workers& workers);

// The angles of rotary positions (Su et al., "RoFormer", 2021; halves paired, as GPT-NeoX does):
// dim i of the first half of the rotary part turns with dim i of the second by position * theta^(-2
// i / rotary_dim), the frequency and the angle each rounded to binary32.
class RotaryAngles {
 public:
  explicit RotaryAngles(const AttentionShape& shape);
  // cos and sin of each pair at a position, rounded.
  template <Rounding kRounding>
  void at(std::size_t position, std::span<float> cosines, std::span<float> sines) const;
  std::size_t pairs() const { return frequencies_.size(); }

 private:
  std::vector<float> frequencies_;
};

}  // namespace qgpu::model
