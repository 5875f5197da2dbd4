// Compiles a net into the weights of Gated DeltaNet and SwiGLU layers.
//
//   Net net = ...;
//   Expected<CompiledNet> compiled = compile(net, Substrate{});
//   if (!compiled) return fail(compiled.error());    // a budget, a placement, a weight: by name
//   compiled->layers[3].gate_proj.nonzeros();
//
// Deterministic: the same net gives the same weights.
//
// A unit becomes one hidden unit of the MLP: gate_proj holds 128 * its gate, up_proj its amount,
// down_proj each output's share / 128. A memory becomes one head: q and k hold 128 * (a gate for
// each row), so that the normed query and key are one-hot; v holds 146 * bit in lanes 0..125, and
// 146 * 2^16 in lanes 126 and 127, the pins. The pins alone decide the gated norm, so a read bit
// leaves as exactly 2^-13, times the z gate of 128, and out_proj scales it to 1. 146 makes the fp32
// products with 1/sqrt(128) come out exact.
#pragma once

#include <string>
#include <vector>

#include "compiler/circuit/net.h"
#include "compiler/circuit/target.h"

namespace qgpu::circuit {

struct CompiledNet {
  Substrate substrate;
  std::vector<LayerWeights> layers;
  std::vector<int> dims;              // of each wire, -1 where nobody reads it
  std::vector<Encoding> encodings;    // of each wire
  std::vector<Entry> constants;       // column, value: what every machine token's embedding holds
  std::vector<MemoryPlace> memories;  // in the order of the net's
  std::vector<LayerBudget> budget;

  int dim(Wire w) const { return dims[w.id]; }
  // The value in the residual stream that stands for a logical value of the wire.
  float encode(Wire w, int value) const;
};

Expected<CompiledNet> compile(const Net& net, const Substrate& substrate);

}  // namespace qgpu::circuit
