// The compiled machine as plain data: all that a model needs to run launches.
//
//   Expected<Circuit> circuit = buildCircuit();
//   circuit->layers.size();                    // 45
//   circuit->memory("stage1.load.memory.global0");   // where words of global memory are kept
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/circuit/emit.h"
#include "compiler/circuit/layer_weights.h"
#include "compiler/circuit/machine/machine.h"

namespace qgpu::circuit::machine {

struct Circuit {
  Substrate substrate;
  std::vector<LayerWeights> layers;
  std::vector<Entry> constants;               // column, value: in the embedding of every token
  std::vector<int> input_dims;                // of each input wire, by its number; -1: not kept
  std::vector<int> code_dims;                 // of the next token's code, lowest bit first
  std::map<std::string, MemoryPlace> places;  // of each memory, by its name in the net

  MemoryPlace memory(const std::string& name) const;
};

// Refused, with the budget that is exceeded: a net that does not fit the substrate.
Expected<Circuit> buildCircuit(const Substrate& substrate = {});

// The columns that a token's embedding sets to 1, beside the constants.
class TokenEmbedding {
 public:
  explicit TokenEmbedding(const Circuit& circuit);
  std::vector<int> operator()(const protocol::Token& token) const;

 private:
  Net net_;
  Inputs inputs_;
  const Circuit& circuit_;
};

}  // namespace qgpu::circuit::machine
