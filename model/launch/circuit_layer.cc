#include "model/launch/circuit_layer.h"

#include <algorithm>

namespace qgpu::model {

CircuitLayer::CircuitLayer(const LayerWeights& weights, const Substrate& substrate,
                           std::span<const Entry> constants, const Shortcuts& shortcuts)
    : weights_(weights), substrate_(substrate) {
  const bool search = shortcuts.search_rows;
  if (shortcuts.lift_mixers) mixer_ = LiftedMixer::recognize(weights, substrate, constants, search);
  if (shortcuts.lift_mlps) mlp_ = LiftedMlp::recognize(weights, substrate, constants, search);
  on_stock_ = !mixer_;
}

StockLayer& CircuitLayer::stock() {
  if (!stock_) stock_ = std::make_unique<StockLayer>(weights_, substrate_, Storage::Compressed);
  return *stock_;
}

template <typename Half>
void CircuitLayer::runStock(Residual& residual, Half half) {
  residual.rewrite([&](std::vector<float>& x) {
    Activations block = activations(1, x.size());
    std::ranges::copy(x, block.data());
    half(block);
    std::copy_n(block.data(), x.size(), x.begin());
  });
}

void CircuitLayer::addMixer(Residual& residual) {
  if (!on_stock_) {
    if (mixer_->addTo(residual)) return;
    mixer_->stateOf(stock().state());
    on_stock_ = true;
  }
  Workers alone;
  runStock(residual,
           [&](Activations& block) { stock().addMixer<Rounding::Float32>(block, alone); });
}

void CircuitLayer::addMlp(Residual& residual) {
  if (mlp_ && mlp_->addTo(residual)) return;
  Workers alone;
  runStock(residual, [&](Activations& block) { stock().addMlp<Rounding::Float32>(block, alone); });
}

void CircuitLayer::reset() {
  if (mixer_) mixer_->reset();
  if (stock_) stock_->reset();
  on_stock_ = !mixer_;
}

std::uint32_t CircuitLayer::word(int head, int row, int bits) const {
  if (!on_stock_)
    return static_cast<std::uint32_t>(mixer_->word(head, row) & ((std::uint64_t{1} << bits) - 1));
  if (!stock_) return 0;
  const std::size_t first =
      (static_cast<std::size_t>(head) * kHeadDim + static_cast<std::size_t>(row)) * kHeadDim;
  std::uint32_t word = 0;
  for (int i = 0; i < bits; ++i)
    if (stock_->state().recurrent[first + static_cast<std::size_t>(i)] > 0.0f) word |= 1u << i;
  return word;
}

GatedDeltaNetState CircuitLayer::state() const {
  if (on_stock_ && stock_) return stock_->state();
  StockLayer blank(weights_, substrate_, Storage::Compressed);
  GatedDeltaNetState state = blank.state();
  if (!on_stock_) mixer_->stateOf(state);
  return state;
}

}  // namespace qgpu::model
