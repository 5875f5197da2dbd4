#include "model/launch/circuit_layer.h"

#include <algorithm>

namespace qgpu::model {
namespace {

// Tokens that the stock formulas take together: a multiple of those that run side by side, few
// enough for their activations to stay in the second-level cache.
constexpr std::size_t kStockBlock = 32;

}  // namespace

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
void CircuitLayer::runStock(std::span<Residual> residuals, Half half) {
  Workers alone;
  for (; !residuals.empty();
       residuals = residuals.subspan(std::min(kStockBlock, residuals.size()))) {
    const auto part = residuals.first(std::min(kStockBlock, residuals.size()));
    Activations block = activations(part.size(), part[0].x().size());
    for (std::size_t t = 0; t < part.size(); ++t)
      std::ranges::copy(part[t].x(), row(block, t).begin());
    half(block, alone);
    for (std::size_t t = 0; t < part.size(); ++t)
      part[t].rewrite([&](std::vector<float>& x) { std::ranges::copy(row(block, t), x.begin()); });
  }
}

void CircuitLayer::addMixer(std::span<Residual> residuals) {
  std::size_t done = 0;
  while (!on_stock_ && done < residuals.size()) {
    if (mixer_->addTo(residuals[done])) {
      ++done;
      continue;
    }
    GatedDeltaNetState state = StockLayer::blankState(substrate_);
    mixer_->stateOf(state);
    stock().setState(state);
    on_stock_ = true;
  }
  runStock(residuals.subspan(done), [&](Activations& block, Workers& workers) {
    stock().addMixer<Rounding::Float32>(block, workers);
  });
}

void CircuitLayer::addMlp(std::span<Residual> residuals) {
  const auto by_stock = [&](Activations& block, Workers& workers) {
    stock().addMlp<Rounding::Float32>(block, workers);
  };
  if (!mlp_) return runStock(residuals, by_stock);
  for (Residual& residual : residuals)
    if (!mlp_->addTo(residual)) runStock(std::span(&residual, 1), by_stock);
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
  const auto values =
      stock_->memoryRow(static_cast<std::size_t>(head), static_cast<std::size_t>(row));
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < values.size() && i < static_cast<std::size_t>(bits); ++i)
    if (values[i] > 0.0f) word |= 1u << i;
  return word;
}

GatedDeltaNetState CircuitLayer::state() const {
  if (on_stock_ && stock_) return stock_->state();
  GatedDeltaNetState state = StockLayer::blankState(substrate_);
  if (!on_stock_) mixer_->stateOf(state);
  return state;
}

}  // namespace qgpu::model
