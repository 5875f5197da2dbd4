// Weight faults: one stored weight of a circuit that is another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/faults/exact_layer.h"
#include "model/weights/circuit.h"

namespace qgpu::conformance {

enum class Damage : std::uint8_t { Zero, Negate, StepUp, StepDown, Double };
inline constexpr int kDamages = 5;
std::string_view name(Damage damage);  // "one step up"

struct Fault {
  std::size_t layer = 0;
  Tensor tensor{};
  std::size_t index = 0;  // among a matrix's nonzeros, in compressed rows, or in a vector
  Damage damage{};
  float before = 0, after = 0;

  // "layer 4 gate_proj[12][345]: 128 -> 0 (zero)"
  std::string text(const model::Circuit& circuit) const;
};

// A bfloat16 damaged: 0, negated, the next one away from or towards 0, doubled.
float damaged(float value, Damage damage);

// `count` faults. The tensors have fixed shares, each as likely to be hit in any of its weights
// over all layers; damages are equally likely. A vector's stored 0 stands for a factor of 1 (a
// norm's weight is its gain less 1, A_log a logarithm), and is damaged as that 1. The same seed
// gives the same faults everywhere.
std::vector<Fault> drawFaults(const model::Circuit& circuit, std::uint64_t seed, std::size_t count);

// The circuit with the fault in it.
model::LayerWeights faultyLayer(const model::Circuit& circuit, const Fault& fault);

}  // namespace qgpu::conformance
