#include "model/layers/attention.h"

#include <algorithm>
#include <cmath>

#include "interpreter/base/failure.h"
#include "model/layers/elementwise.h"
#include "model/layers/linear.h"
#include "model/layers/norm.h"

namespace qgpu::model {
namespace {

// Turns the rotary part of one head; the rest of it is left alone.
template <Rounding kRounding>
void rotate(std::span<float> head, std::span<const float> cosines, std::span<const float> sines) {
  const std::size_t half = cosines.size();
  for (std::size_t i = 0; i < half; ++i) {
    const float x = head[i];
    const float y = head[i + half];
    head[i] =
        rounded<kRounding>(rounded<kRounding>(x * cosines[i]) + rounded<kRounding>(-y * sines[i]));
    head[i + half] =
        rounded<kRounding>(rounded<kRounding>(y * cosines[i]) + rounded<kRounding>(x * sines[i]));
  }
}

// Norms and rotates the queries (inside `q`, in place) and keys, and appends keys and values.
template <Rounding kRounding>
void prepare(const AttentionShape& shape, const AttentionWeights& weights, std::size_t position,
             Activations& q, Activations& k, const Activations& v, KeyValueCache& cache) {
  const RotaryAngles angles(shape);
  const std::size_t dim = shape.head_dim;
  std::vector<float> cosines(angles.pairs());
  std::vector<float> sines(angles.pairs());
  const auto normAndRotate = [&](std::span<float> head, const WeightView& norm) {
    rmsNorm<kRounding>(head, norm, shape.eps, head);
    rotate<kRounding>(head, cosines, sines);
  };
  for (std::size_t t = 0; t < tokenCount(q); ++t) {
    angles.at<kRounding>(position + t, cosines, sines);
    for (std::size_t h = 0; h < shape.query_heads; ++h)
      normAndRotate(row(q, t).subspan(h * 2 * dim, dim), weights.q_norm);
    for (std::size_t h = 0; h < shape.key_heads; ++h) {
      const std::span<float> key = row(k, t).subspan(h * dim, dim);
      normAndRotate(key, weights.k_norm);
      const std::span<const float> value = row(v, t).subspan(h * dim, dim);
      cache.keys[h].insert(cache.keys[h].end(), key.begin(), key.end());
      cache.values[h].insert(cache.values[h].end(), value.begin(), value.end());
    }
  }
}

template <Rounding kRounding>
void softmax(std::span<float> scores) {
  const float maximum = *std::max_element(scores.begin(), scores.end());
  float sum = 0.0f;
  for (float& score : scores) {
    score = std::exp(score - maximum);
    sum += score;
  }
  for (float& score : scores) score = rounded<kRounding>(score / sum);
}

// One query against the first `length` tokens of the cache.
template <Rounding kRounding>
void attend(const AttentionShape& shape, std::span<const float> query,
            const std::vector<float>& keys, const std::vector<float>& values, std::size_t length,
            std::span<float> mixed) {
  const float scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(shape.head_dim)));
  std::vector<float> scores(length);
  multiply(WeightView(keys.data(), length, shape.head_dim),
           {query.data(), query.size(), 1, scores.data(), length});
  for (float& score : scores) score = rounded<kRounding>(rounded<kRounding>(score) * scale);
  softmax<kRounding>(scores);
  std::fill(mixed.begin(), mixed.end(), 0.0f);
  for (std::size_t p = 0; p < length; ++p) {
    const float* value = values.data() + p * shape.head_dim;
    for (std::size_t j = 0; j < shape.head_dim; ++j) mixed[j] += scores[p] * value[j];
  }
  for (float& element : mixed) element = rounded<kRounding>(element);
}

// One query head through a block: attention, then the gate.
template <Rounding kRounding>
void runHead(const AttentionShape& shape, std::size_t head, const Activations& q,
             std::size_t position, const KeyValueCache& cache, Activations& mixed) {
  const std::size_t dim = shape.head_dim;
  const std::size_t key_head = head / (shape.query_heads / shape.key_heads);
  for (std::size_t t = 0; t < tokenCount(q); ++t) {
    const std::span<const float> query = row(q, t).subspan(head * 2 * dim, dim);
    const std::span<const float> gate = row(q, t).subspan(head * 2 * dim + dim, dim);
    const std::span<float> out = row(mixed, t).subspan(head * dim, dim);
    attend<kRounding>(shape, query, cache.keys[key_head], cache.values[key_head], position + t + 1,
                      out);
    for (std::size_t j = 0; j < dim; ++j)
      out[j] = rounded<kRounding>(out[j] * rounded<kRounding>(sigmoid(gate[j])));
  }
}

void checkShapes(const AttentionShape& shape, const AttentionWeights& w, std::size_t position,
                 const KeyValueCache& cache) {
  check(shape.key_heads > 0 && shape.query_heads % shape.key_heads == 0,
        "query heads come in whole groups");
  check(shape.rotary_dim % 2 == 0 && shape.rotary_dim <= shape.head_dim,
        "the rotary part fits the head");
  const std::size_t queries = shape.query_heads * shape.head_dim;
  const std::size_t keys = shape.key_heads * shape.head_dim;
  check(w.q_proj.rows() == 2 * queries && w.k_proj.rows() == keys && w.v_proj.rows() == keys &&
            w.o_proj.rows() == shape.hidden && w.o_proj.cols() == queries &&
            w.q_norm.size() == shape.head_dim && w.k_norm.size() == shape.head_dim,
        "the weights of an attention layer have its shape");
  check(cache.keys.size() == shape.key_heads &&
            cache.keys.front().size() == position * shape.head_dim,
        "the cache of an attention layer holds every earlier token");
}

}  // namespace

RotaryAngles::RotaryAngles(const AttentionShape& shape) : frequencies_(shape.rotary_dim / 2) {
  for (std::size_t i = 0; i < frequencies_.size(); ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(shape.rotary_dim);
    const auto power = static_cast<float>(std::pow(shape.rope_theta, exponent));
    frequencies_[i] = 1.0f / power;
  }
}

template <Rounding kRounding>
void RotaryAngles::at(std::size_t position, std::span<float> cosines,
                      std::span<float> sines) const {
  for (std::size_t i = 0; i < frequencies_.size(); ++i) {
    const float angle = static_cast<float>(position) * frequencies_[i];
    cosines[i] = rounded<kRounding>(std::cos(angle));
    sines[i] = rounded<kRounding>(std::sin(angle));
  }
}

template <Rounding kRounding>
void attention(const AttentionShape& shape, const AttentionWeights& weights, const Activations& x,
               std::size_t position, KeyValueCache& cache, Activations& out, Workers& workers) {
  checkShapes(shape, weights, position, cache);
  Activations q;
  Activations k;
  Activations v;
  linear<kRounding>(weights.q_proj, x, q, workers);
  linear<kRounding>(weights.k_proj, x, k, workers);
  linear<kRounding>(weights.v_proj, x, v, workers);
  prepare<kRounding>(shape, weights, position, q, k, v, cache);
  Activations mixed = activations(tokenCount(x), shape.query_heads * shape.head_dim);
  workers.forRanges(shape.query_heads, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t head = first; head < last; ++head)
      runHead<kRounding>(shape, head, q, position, cache, mixed);
  });
  linear<kRounding>(weights.o_proj, mixed, out, workers);
}

#define QGPU_INSTANTIATE(R)                                                                      \
  template void RotaryAngles::at<R>(std::size_t, std::span<float>, std::span<float>) const;      \
  template void attention<R>(const AttentionShape&, const AttentionWeights&, const Activations&, \
                             std::size_t, KeyValueCache&, Activations&, Workers&)
QGPU_INSTANTIATE(Rounding::Float32);
QGPU_INSTANTIATE(Rounding::Bfloat16);
#undef QGPU_INSTANTIATE

}  // namespace qgpu::model
