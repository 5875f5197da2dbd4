// One layer of a circuit, run by its lifted halves where they are recognised and by the stock
// formulas where they are not, with the same bits.
//
// A half that meets a residual stream which is not whole numbers (after an altered weight, say)
// hands the token to the stock formulas. The mixer then stays with them until reset(): its state
// may have become anything.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/launch/lifted_mixer.h"
#include "model/launch/lifted_mlp.h"
#include "model/launch/stock_layer.h"

namespace qgpu::model {

// What may be done faster than by the stock formulas on compressed weights. Each is exact; turning
// one off changes no bit.
struct Shortcuts {
  bool lift_mixers = true;     // memories of bits instead of the delta rule
  bool lift_mlps = true;       // whole-number units instead of SwiGLU
  bool search_rows = true;     // a tree finds the lifted rows that count, instead of summing all
  bool decode_by_sign = true;  // lm_head's largest logit by the signs of the code's dims
  bool batch = true;           // known tokens, kBatch at a time, bit by bit

  static constexpr Shortcuts none() { return {false, false, false, false, false}; }
};

// Every one of them by its name.
struct NamedShortcut {
  std::string_view name;
  bool Shortcuts::* which;
};
inline constexpr std::array<NamedShortcut, 5> kShortcuts = {{
    {"lift-mixers", &Shortcuts::lift_mixers},
    {"lift-mlps", &Shortcuts::lift_mlps},
    {"search-rows", &Shortcuts::search_rows},
    {"decode-by-sign", &Shortcuts::decode_by_sign},
    {"batch", &Shortcuts::batch},
}};
// All but those named; "all" names every one. Refused, with the names there are.
Expected<Shortcuts> shortcutsWithout(std::span<const std::string> names);

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
