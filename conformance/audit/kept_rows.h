// The machine's architectural state as the model's recurrent state keeps it: which memories hold
// copies of what, and what their rows must hold.
//
// A memory that several stages or operands read is kept once for each reader; every copy is listed,
// so that an audit leaves none out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "interpreter/machine/state.h"
#include "model/weights/circuit.h"

namespace qgpu::conformance {

struct KeptRows {
  std::string what;  // "global word", "lane 2 register row"
  int rows = 1;
  int bits = 32;
  std::vector<model::MemoryPlace> copies;
  // What row `row` must hold; nothing where the state does not determine it.
  std::function<std::optional<std::uint32_t>(const machine::State& state, int row)> expected;
};

// Everything that machine::State holds.
std::vector<KeptRows> keptRows(const model::Circuit& circuit);

}  // namespace qgpu::conformance
