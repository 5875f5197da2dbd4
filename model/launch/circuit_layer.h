// One layer of a circuit, run by its lifted halves where they are recognised and by the stock
// formulas where they are not, with the same bits.
//
// A half that meets a residual stream which is not whole numbers (after an altered weight, say)
// hands the token to the stock formulas. The mixer then stays with them until reset(): its state
// may have become anything.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "model/launch/lifted_mixer.h"
#include "model/launch/lifted_mlp.h"
#include "model/launch/shortcuts.h"
#include "model/launch/stock_layer.h"

namespace qgpu::model {

class CircuitLayer {
 public:
  // `weights` must outlive the layer.
  CircuitLayer(const LayerWeights& weights, const Substrate& substrate,
               std::span<const Entry> constants, const Shortcuts& shortcuts);

  void addMixer(Residual& residual) { addMixer(std::span(&residual, 1)); }
  void addMlp(Residual& residual) { addMlp(std::span(&residual, 1)); }
  // Of several tokens in order: what the stock formulas take, they take as a block.
  void addMixer(std::span<Residual> residuals);
  void addMlp(std::span<Residual> residuals);
  // The lifted halves at all positions of a batch. False, with nothing changed, where they have to
  // go through the layer one by one.
  bool addMixer(BatchResidual& batch) { return !on_stock_ && mixer_->addTo(batch); }
  bool addMlp(BatchResidual& batch) { return mlp_ && mlp_->addTo(batch); }
  void reset();

  // The low bits, up to 32, of what a row of a head holds.
  std::uint32_t word(int head, int row, int bits) const;
  // S of all heads, as the stock formulas have it.
  GatedDeltaNetState state() const;
  bool isLifted() const { return !on_stock_ && mixer_ && mlp_; }

 private:
  StockLayer& stock();
  template <typename Half>
  void runStock(std::span<Residual> residuals, Half half);

  const LayerWeights& weights_;
  Substrate substrate_;
  std::optional<LiftedMixer> mixer_;
  std::optional<LiftedMlp> mlp_;
  std::unique_ptr<StockLayer> stock_;  // made when first needed
  bool on_stock_ = false;              // the mixer's state is there
};

}  // namespace qgpu::model
