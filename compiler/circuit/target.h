// What the circuit compiler writes: the model's weights, by their names there.
#pragma once

#include "model/weights/circuit.h"

namespace qgpu::circuit {

using model::Constants;
using model::Entry;
using model::LayerBudget;
using model::LayerWeights;
using model::MemoryPlace;
using model::Probe;
using model::SparseMatrix;
using model::Substrate;

using model::kBig;
using model::kConvTaps;
using model::kGateScale;
using model::kHeadDim;

}  // namespace qgpu::circuit
