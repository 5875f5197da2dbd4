// A compiled layer in the stock formulas of model/layers: nothing is recognised and nothing skipped
// but weights that are zero.
//
//   StockLayer layer(circuit.layers[3], circuit.substrate, Storage::Compressed);
//   layer.addMixer<Rounding::Bfloat16>(residual, workers);    // residual [tokens, hidden]
//   layer.state().recurrent;                                  // S of every head
//
// Both storages give the same bits. Dense is the layer as a checkpoint would hold it, 118 MB at
// full width; compressed holds the nonzero weights of the heads and units that have any
// (compact_layer.h).
#pragma once

#include <span>
#include <vector>

#include "model/launch/compact_layer.h"
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

  // The state of all heads before the first token.
  static GatedDeltaNetState blankState(const Substrate& substrate);
  // The state of all heads, and one to go on with; check()s that heads without weights have none.
  GatedDeltaNetState state() const;
  void setState(const GatedDeltaNetState& state);
  // Row `row` of a head's S; empty for a head without weights, whose S is 0.
  std::span<const float> memoryRow(std::size_t head, std::size_t row) const;

 private:
  WeightView view(const SparseMatrix& matrix, Storage storage);

  CompactLayer kept_;  // of dense storage, the heads only
  std::size_t hidden_ = 0, all_heads_ = 0;
  std::vector<std::vector<bfloat16>> dense_;
  DecoderLayer layer_;
  LayerState state_;
};

}  // namespace qgpu::model
