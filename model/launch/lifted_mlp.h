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

#include "model/launch/positive_rows.h"
#include "model/launch/residual.h"
#include "model/weights/layer_weights.h"
#include "model/weights/substrate.h"

namespace qgpu::model {

class LiftedMlp {
 public:
  static std::optional<LiftedMlp> recognize(const LayerWeights& weights, const Substrate& substrate,
                                            std::span<const Entry> constants, bool search);
  bool addTo(Residual& residual);
  // The same at all positions of a batch; false where any of them needs the stock formulas.
  bool addTo(BatchResidual& batch);

 private:
  // Its lists end where the next unit's begin.
  struct Unit {
    std::uint32_t up_begin = 0, down_begin = 0;
    float up = 0;  // the constant of its up side
  };
  struct Share {
    std::uint16_t dim = 0;
    std::int16_t amount = 0;  // small, because reading them takes most of a token's time
  };
  struct Product {
    std::uint32_t unit = 0;
    float product = 0;
  };

  // In a batch: factor * a number, whose planes are in planes_.
  struct BatchProduct {
    std::uint32_t unit = 0;
    std::int32_t factor = 0;
    std::uint32_t first = 0;
    int planes = 0;
    Lanes sign;
  };

  LiftedMlp(const std::vector<WholeRow>& gates, std::size_t hidden, bool search)
      : gates_(gates, hidden, search) {}
  float upOf(std::size_t unit, const Residual& residual) const;
  bool isExact(float most_product) const;
  void multiply(std::uint32_t unit, const Number& gate, BatchResidual& batch);
  void keep(std::uint32_t unit, const Number& number, std::int32_t factor);

  PositiveRows gates_;
  std::vector<Unit> units_;  // as gates_ numbers them, and one more
  std::vector<Share> up_, down_;
  double most_amount_ = 0;
  std::vector<Product> products_;
  std::vector<BatchProduct> batch_products_;
  std::vector<Lanes> planes_;
  std::vector<double> reach_;  // of each dim: no sum of a batch's shares exceeds it
  double most_reach_ = 0;
};

}  // namespace qgpu::model
