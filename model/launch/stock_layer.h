// A compiled layer in the stock formulas of model/layers: nothing is recognised and nothing skipped
// but weights that are zero.
//
//   StockLayer layer(circuit.layers[3], circuit.substrate, Storage::Compressed);
//   layer.forward<Rounding::Bfloat16>(residual, workers);     // residual [tokens, hidden]
//   layer.state().recurrent;                                  // S of every head
//
// Both storages give the same bits. Dense is the layer as a checkpoint would hold it, 118 MB at
// full width; compressed is a view on the weights, which must outlive it.
#pragma once

#include <vector>

#include "model/layers/decoder_layer.h"
#include "model/weights/layer_weights.h"
#include "model/weights/substrate.h"

namespace qgpu::model {

enum class Storage : unsigned char { Compressed, Dense };

class StockLayer {
 public:
  StockLayer(const LayerWeights& weights, const Substrate& substrate, Storage storage);
  // The layer's views point into it.
  StockLayer(StockLayer&&) = default;
  StockLayer(const StockLayer&) = delete;
  StockLayer& operator=(const StockLayer&) = delete;

  // Adds the layer to the residual stream of a block of tokens; the two halves of it.
  template <Rounding kRounding>
  void addMixer(Activations& residual, Workers& workers) {
    model::addMixer<kRounding>(layer_, residual, 0, state_, workers);
  }
  template <Rounding kRounding>
  void addMlp(Activations& residual, Workers& workers) const {
    model::addMlp<kRounding>(layer_, residual, workers);
  }
  void reset() { state_ = layer_.newState(); }

  const GatedDeltaNetState& state() const { return std::get<GatedDeltaNetState>(state_); }
  GatedDeltaNetState& state() { return std::get<GatedDeltaNetState>(state_); }

 private:
  WeightView view(const SparseMatrix& matrix, Storage storage);

  std::vector<std::vector<bfloat16>> dense_;
  DecoderLayer layer_;
  LayerState state_;
};

}  // namespace qgpu::model
