// The machine's circuit for tests, built once a process.
#pragma once

#include "compiler/circuit/machine/circuit.h"
#include "interpreter/base/failure.h"

namespace qgpu::conformance {

inline const model::Circuit& theCircuit() {
  static const model::Circuit kCircuit = [] {
    auto built = circuit::machine::buildCircuit();
    check(built.has_value(), "the machine fits the model");
    return std::move(*built);
  }();
  return kCircuit;
}

}  // namespace qgpu::conformance
