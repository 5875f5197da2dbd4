// A compiled layer without the heads and hidden units that have no weight at all: most layers use a
// few of their heads and half of their units.
//
// What is left out would add zeros. A head without a row in in_proj_* has keys, values and gates of
// 0, so its memory stays 0 and so does what it reads; a unit without a row in gate_proj and up_proj
// is silu(0) * 0, and one without a column in down_proj goes nowhere. The sums of what is kept run
// as in the whole layer (model/layers/linear.h): in ascending order, and each term in the lane, of
// 16, that it had there.
//
//   const CompactLayer small = compact(weights, substrate);
//   small.heads;            // {0, 5}: head 1 of small.weights is head 5 of `weights`
#pragma once

#include <cstddef>
#include <vector>

#include "model/weights/layer_weights.h"
#include "model/weights/substrate.h"

namespace qgpu::model {

struct CompactLayer {
  LayerWeights weights;            // shapes as there, with fewer heads and units; one at least
  std::vector<std::size_t> heads;  // those that are kept, ascending
};

CompactLayer compact(const LayerWeights& weights, const Substrate& substrate);

}  // namespace qgpu::model
