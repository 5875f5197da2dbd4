// What a circuit's layers take of what there is, as a table.
#pragma once

#include <string>

#include "model/weights/circuit.h"

namespace qgpu::model {

// One line for each layer and one for all: hidden units and those of them that clear dims, wires,
// heads, nonzero weights of the two blocks; then which layers come closest to each limit.
std::string budgetTable(const Substrate& substrate, std::span<const LayerBudget> budget,
                        std::span<const LayerWeights> layers);

}  // namespace qgpu::model
