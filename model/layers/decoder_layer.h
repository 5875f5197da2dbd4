// One pre-norm decoder layer: a mixer, then SwiGLU, each added to the residual stream.
//
//   x <- x + mixer(rmsNorm(x; input_layernorm))
//   x <- x + mlp(rmsNorm(x; post_attention_layernorm))
//
// The mixer is Gated DeltaNet or full attention. A layer takes its weights as views, so they may
// come from a checkpoint or from matrices made in memory:
//
//   DecoderLayer layer{.mixer = GatedDeltaNetLayer{shape, weights}, .mlp = ..., ...};
//   LayerState state = layer.newState();
//   forward<Rounding::Bfloat16>(layer, residual, 0, state, workers);   // residual [tokens, hidden]
#pragma once

#include <variant>

#include "model/layers/attention.h"
#include "model/layers/gated_delta_net.h"
#include "model/layers/mlp.h"

namespace qgpu::model {

struct GatedDeltaNetLayer {
  GatedDeltaNetShape shape;
  GatedDeltaNetWeights weights;
};

struct AttentionLayer {
  AttentionShape shape;
  AttentionWeights weights;
};

using LayerState = std::variant<GatedDeltaNetState, KeyValueCache>;

struct DecoderLayer {
  WeightView input_layernorm;           // [hidden], zero-centred
  WeightView post_attention_layernorm;  // [hidden], zero-centred
  std::variant<GatedDeltaNetLayer, AttentionLayer> mixer;
  MlpWeights mlp;
  float eps = 1e-6f;  // of the two norms

  // What the layer remembers before the first token.
  LayerState newState() const;
};

// Adds the layer to the residual stream of a block of tokens, the first of them at `position`.
template <Rounding kRounding>
void forward(const DecoderLayer& layer, Activations& residual, std::size_t position,
             LayerState& state, Workers& workers);

// The two halves of `forward`, for callers that look between them.
template <Rounding kRounding>
void addMixer(const DecoderLayer& layer, Activations& residual, std::size_t position,
              LayerState& state, Workers& workers);
template <Rounding kRounding>
void addMlp(const DecoderLayer& layer, Activations& residual, Workers& workers);

}  // namespace qgpu::model
