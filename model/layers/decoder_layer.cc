#include "model/layers/decoder_layer.h"

#include "interpreter/base/failure.h"
#include "model/layers/norm.h"

namespace qgpu::model {
namespace {

template <Rounding kRounding>
void add(const Activations& update, Activations& residual) {
  check(update.rows() == residual.rows() && update.cols() == residual.cols(),
        "a layer's output has the residual's shape");
  for (std::size_t i = 0; i < static_cast<std::size_t>(residual.size()); ++i)
    residual.data()[i] = rounded<kRounding>(residual.data()[i] + update.data()[i]);
}

}  // namespace

LayerState DecoderLayer::newState() const {
  if (const auto* gdn = std::get_if<GatedDeltaNetLayer>(&mixer))
    return GatedDeltaNetState(gdn->shape);
  return KeyValueCache(std::get<AttentionLayer>(mixer).shape);
}

template <Rounding kRounding>
void addMixer(const DecoderLayer& layer, Activations& residual, std::size_t position,
              LayerState& state, Workers& workers) {
  Activations normed;
  Activations update;
  rmsNorm<kRounding>(residual, layer.input_layernorm, layer.eps, normed);
  if (const auto* gdn = std::get_if<GatedDeltaNetLayer>(&layer.mixer)) {
    gatedDeltaNet<kRounding>(gdn->shape, gdn->weights, normed, std::get<GatedDeltaNetState>(state),
                             update, workers);
  } else {
    const auto& full = std::get<AttentionLayer>(layer.mixer);
    attention<kRounding>(full.shape, full.weights, normed, position, std::get<KeyValueCache>(state),
                         update, workers);
  }
  add<kRounding>(update, residual);
}

template <Rounding kRounding>
void addMlp(const DecoderLayer& layer, Activations& residual, Workers& workers) {
  Activations normed;
  Activations update;
  rmsNorm<kRounding>(residual, layer.post_attention_layernorm, layer.eps, normed);
  mlp<kRounding>(layer.mlp, normed, update, workers);
  add<kRounding>(update, residual);
}

template <Rounding kRounding>
void forward(const DecoderLayer& layer, Activations& residual, std::size_t position,
             LayerState& state, Workers& workers) {
  addMixer<kRounding>(layer, residual, position, state, workers);
  addMlp<kRounding>(layer, residual, workers);
}

#define QGPU_INSTANTIATE(R)                                                              \
  template void addMixer<R>(const DecoderLayer&, Activations&, std::size_t, LayerState&, \
                            Workers&);                                                   \
  template void addMlp<R>(const DecoderLayer&, Activations&, Workers&);                  \
  template void forward<R>(const DecoderLayer&, Activations&, std::size_t, LayerState&, Workers&)
QGPU_INSTANTIATE(Rounding::Float32);
QGPU_INSTANTIATE(Rounding::Bfloat16);
#undef QGPU_INSTANTIATE

}  // namespace qgpu::model
