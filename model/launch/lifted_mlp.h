// A layer's SwiGLU as whole-number units: relu(gate) * up, added to dims.
//
//   auto mlp = LiftedMlp::recognize(weights, substrate, constants, {});   // nothing: use the
//                                                                          // stock formulas
//   if (!mlp->addTo(residual)) ...;   // this token needs the stock formulas; nothing was changed
//
// Gates are multiples of 128, where silu(g) is exactly g or 0, so every product and sum is a whole
// number and exact in any order: the result has the bits of the stock formulas.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/launch/bank.h"
#include "model/launch/residual.h"
#include "model/weights/layer_weights.h"
#include "model/weights/substrate.h"

namespace qgpu::model {

class LiftedMlp {
 public:
  static std::optional<LiftedMlp> recognize(const LayerWeights& weights, const Substrate& substrate,
                                            std::span<const Entry> constants,
                                            const BankOptions& options);
  bool addTo(Residual& residual);

 private:
  struct Unit {
    std::uint32_t up_end = 0, down_end = 0;  // where its lists end in up_ and down_
    float up = 0;                            // the constant of its up side
    float most = 0;                          // the largest amount of its shares
  };
  struct Share {
    std::uint16_t dim = 0;
    float amount = 0;
  };
  struct Open {
    std::size_t unit = 0;
    float product = 0;
  };

  LiftedMlp(std::vector<WholeRow> gates, std::size_t hidden, const BankOptions& options)
      : gates_(std::move(gates), hidden, options) {}
  float upOf(std::size_t unit, const Residual& residual) const;

  Bank gates_;
  std::vector<Unit> units_;  // unit u's lists begin where those of u - 1 end
  std::vector<Share> up_, down_;
  std::vector<Open> open_;
};

}  // namespace qgpu::model
