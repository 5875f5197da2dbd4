// How many weights a token needs: those in columns of the projections whose input is not zero at
// that token, and those of `down` and `out` that change a dim. Any executor that computes the
// layers from their weights, and knows nothing of what they mean, reads at least these.
//
//   const Touched touched = touchedWeights(circuit, tokens);
//   touched.each / touched.stored;      // a few percent
#pragma once

#include <cstddef>
#include <span>

#include "interpreter/protocol/token.h"
#include "model/weights/circuit.h"

namespace qgpu::bench {

struct Touched {
  double each = 0;         // nonzero weights that a token needs, on average
  std::size_t stored = 0;  // nonzero weights that there are
};

// Runs the tokens through the stock formulas, layer by layer: milliseconds for each.
Touched touchedWeights(const model::Circuit& circuit, std::span<const protocol::Token> tokens);

}  // namespace qgpu::bench
