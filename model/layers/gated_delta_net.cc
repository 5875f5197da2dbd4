#include "model/layers/gated_delta_net.h"

#include <algorithm>
#include <cmath>

#include "interpreter/base/failure.h"
#include "model/layers/elementwise.h"
#include "model/layers/linear.h"
#include "model/layers/norm.h"

namespace qgpu::model {
namespace {

constexpr float kL2NormEps = 1e-6f;

// The four projections of a block of tokens; `u` becomes silu(conv(u)) in place.
struct Projections {
  Activations u, z, b, a;
};

template <Rounding kRounding>
Projections project(const GatedDeltaNetWeights& weights, const Activations& x, Workers& workers) {
  Projections p;
  linear<kRounding>(weights.in_proj_qkv, x, p.u, workers);
  linear<kRounding>(weights.in_proj_z, x, p.z, workers);
  linear<kRounding>(weights.in_proj_b, x, p.b, workers);
  linear<kRounding>(weights.in_proj_a, x, p.a, workers);
  return p;
}

// One channel of the causal convolution over a block. `tail` holds the kernel - 1 inputs before
// the block, then receives those before the next one.
template <Rounding kRounding>
void convolveChannel(std::span<const float> taps, std::size_t channel, Activations& u,
                     std::vector<float>& tail) {
  const std::size_t kernel = taps.size();
  const std::size_t channels = width(u);
  for (std::size_t t = 0; t < tokenCount(u); ++t) {
    const float current = row(u, t)[channel];
    float sum = 0.0f;
    for (std::size_t j = 0; j + 1 < kernel; ++j) sum += taps[j] * tail[j * channels + channel];
    sum += taps[kernel - 1] * current;
    for (std::size_t j = 0; j + 2 < kernel; ++j)
      tail[j * channels + channel] = tail[(j + 1) * channels + channel];
    if (kernel > 1) tail[(kernel - 2) * channels + channel] = current;
    row(u, t)[channel] = rounded<kRounding>(silu(rounded<kRounding>(sum)));
  }
}

template <Rounding kRounding>
void convolve(const WeightView& conv1d, std::size_t first, std::size_t last, Activations& u,
              std::vector<float>& tail) {
  std::vector<float> taps(conv1d.cols());
  for (std::size_t channel = first; channel < last; ++channel) {
    for (std::size_t j = 0; j < taps.size(); ++j) taps[j] = conv1d.at(channel * taps.size() + j);
    convolveChannel<kRounding>(taps, channel, u, tail);
  }
}

// The decay and the write strength of one head at one token.
template <Rounding kRounding>
void setGates(const GatedDeltaNetWeights& weights, const Projections& p, std::size_t t,
              std::size_t head, DeltaRuleToken& token) {
  token.beta = rounded<kRounding>(sigmoid(row(p.b, t)[head]));
  token.log_decay =
      -std::exp(weights.a_log.at(head)) * softplus(row(p.a, t)[head] + weights.dt_bias.at(head));
}

// The keys and queries of one key head at each token of a block, as the delta rule wants them.
struct KeysAndQueries {
  Activations keys, queries;

  KeysAndQueries(const GatedDeltaNetShape& shape, const Activations& u, std::size_t key_head)
      : keys(activations(tokenCount(u), shape.key_dim)), queries(keys) {
    const float scale = std::sqrt(static_cast<float>(shape.key_dim));
    for (std::size_t t = 0; t < tokenCount(u); ++t) {
      const auto q = row(u, t).subspan(key_head * shape.key_dim, shape.key_dim);
      const auto k = row(u, t).subspan(shape.keyWidth() + key_head * shape.key_dim, shape.key_dim);
      std::ranges::copy(q, row(queries, t).begin());
      std::ranges::copy(k, row(keys, t).begin());
      l2Normalize(row(queries, t), kL2NormEps);
      l2Normalize(row(keys, t), kL2NormEps);
      for (float& element : row(queries, t)) element /= scale;
    }
  }
};

// One value head through a block of tokens. Its gated output replaces its share of z.
template <Rounding kRounding>
void runHead(const GatedDeltaNetShape& shape, const GatedDeltaNetWeights& weights, std::size_t head,
             Projections& p, GatedDeltaNetState& state) {
  const KeysAndQueries input(shape, p.u, head / (shape.value_heads / shape.key_heads));
  std::vector<DeltaRuleToken> tokens(tokenCount(p.u));
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    tokens[t] = {.key = row(input.keys, t).data(), .query = row(input.queries, t).data()};
    tokens[t].value = row(p.u, t).data() + 2 * shape.keyWidth() + head * shape.value_dim;
    setGates<kRounding>(weights, p, t, head, tokens[t]);
  }
  Activations output = activations(tokens.size(), shape.value_dim);
  deltaRule(tokens, shape.key_dim, shape.value_dim,
            state.recurrent.data() + head * shape.key_dim * shape.value_dim, output.data());
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    for (float& element : row(output, t)) element = rounded<kRounding>(element);
    const std::span<float> gate = row(p.z, t).subspan(head * shape.value_dim, shape.value_dim);
    gatedRmsNorm<kRounding>(row(output, t), gate, weights.norm, shape.eps);
    std::ranges::copy(row(output, t), gate.begin());
  }
}

void checkShapes(const GatedDeltaNetShape& shape, const GatedDeltaNetWeights& w,
                 const GatedDeltaNetState& state) {
  const auto is = [](const WeightView& view, std::size_t rows, std::size_t cols) {
    return view.rows() == rows && view.cols() == cols;
  };
  check(shape.key_heads > 0 && shape.value_heads % shape.key_heads == 0,
        "value heads come in whole groups");
  check(is(w.in_proj_qkv, shape.convWidth(), shape.hidden) &&
            is(w.in_proj_z, shape.valueWidth(), shape.hidden) &&
            is(w.in_proj_b, shape.value_heads, shape.hidden) &&
            is(w.in_proj_a, shape.value_heads, shape.hidden) &&
            is(w.conv1d, shape.convWidth(), shape.conv_kernel) &&
            is(w.out_proj, shape.hidden, shape.valueWidth()),
        "the matrices of a Gated DeltaNet layer have its shape");
  check(w.dt_bias.size() == shape.value_heads && w.a_log.size() == shape.value_heads &&
            w.norm.size() == shape.value_dim,
        "the vectors of a Gated DeltaNet layer have its shape");
  check(state.conv.size() == (shape.conv_kernel - 1) * shape.convWidth() &&
            state.recurrent.size() == shape.value_heads * shape.key_dim * shape.value_dim,
        "the state of a Gated DeltaNet layer has its shape");
}

}  // namespace

GatedDeltaNetState::GatedDeltaNetState(const GatedDeltaNetShape& shape)
    : conv((shape.conv_kernel - 1) * shape.convWidth()),
      recurrent(shape.value_heads * shape.key_dim * shape.value_dim) {}

template <Rounding kRounding>
void gatedDeltaNet(const GatedDeltaNetShape& shape, const GatedDeltaNetWeights& weights,
                   const Activations& x, GatedDeltaNetState& state, Activations& out,
                   Workers& workers) {
  checkShapes(shape, weights, state);
  Projections p = project<kRounding>(weights, x, workers);
  workers.forRanges(shape.convWidth(), 256, [&](std::size_t first, std::size_t last) {
    convolve<kRounding>(weights.conv1d, first, last, p.u, state.conv);
  });
  workers.forRanges(shape.value_heads, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t head = first; head < last; ++head)
      runHead<kRounding>(shape, weights, head, p, state);
  });
  linear<kRounding>(weights.out_proj, p.z, out, workers);
}

template void gatedDeltaNet<Rounding::Float32>(const GatedDeltaNetShape&,
                                               const GatedDeltaNetWeights&, const Activations&,
                                               GatedDeltaNetState&, Activations&, Workers&);
template void gatedDeltaNet<Rounding::Bfloat16>(const GatedDeltaNetShape&,
                                                const GatedDeltaNetWeights&, const Activations&,
                                                GatedDeltaNetState&, Activations&, Workers&);

}  // namespace qgpu::model
