// A machine compiled into weights: everything that a model needs to run its tokens, as plain data.
//
//   Expected<Circuit> circuit = readCircuit("machine.safetensors");   // circuit_file.h
//   circuit->layers.size();                        // 45
//   circuit->embedding.ones(token_id);             // the dims that this token's embedding sets to
//   1 circuit->memory("control.pc0");                // where the lane-0 rows of the PCs are kept
//
// Tokens are numbered from 0 here; behind a base model they follow its vocabulary.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/weights/layer_weights.h"
#include "model/weights/substrate.h"

namespace qgpu::model {

// Rows of embed_tokens: the same constants in every row, and the dims that hold 1.
struct TokenEmbedding {
  std::vector<Entry> constants;       // column, value; `row` is 0
  std::vector<std::uint32_t> starts;  // of each token, and one more
  std::vector<std::uint16_t> columns;

  std::size_t tokens() const { return starts.empty() ? 0 : starts.size() - 1; }
  std::span<const std::uint16_t> ones(std::size_t token) const {
    return std::span(columns).subspan(starts[token], starts[token + 1] - starts[token]);
  }
  friend bool operator==(const TokenEmbedding&, const TokenEmbedding&) = default;
};

// The final norm and lm_head. Row t of lm_head holds, in dims[i], +scale where bit i of codes[t] is
// set and -scale where it is not; tokens that the model never writes have rows of zeros.
struct Unembedding {
  static constexpr std::int32_t kNever = -1;

  std::vector<bfloat16> norm;  // [hidden]; a stored w is a gain of 1 + w
  std::vector<std::uint16_t> dims;
  float scale = 0;
  std::vector<std::int32_t> codes;  // of each token

  friend bool operator==(const Unembedding&, const Unembedding&) = default;
};

// A head whose recurrent state keeps rows of the machine's state: row r's bit i lies in key r,
// value i, and is positive where it is 1.
struct MemoryPlace {
  int layer = 0;
  int head = 0;
  friend bool operator==(const MemoryPlace&, const MemoryPlace&) = default;
};

// Where a result inside the machine can be seen: the residual stream as half-layer `step` reads it
// (2 * layer: its mixer, 2 * layer + 1: its MLP), lowest bit first.
struct Probe {
  int step = 0;
  bool sign = false;  // a bit is -1 or 1 rather than 0 or 1
  std::vector<std::uint16_t> dims;
  friend bool operator==(const Probe&, const Probe&) = default;
};

// What one layer takes of what there is.
struct LayerBudget {
  int units = 0;           // hidden units, of which
  int clearing_units = 0;  //   empty a dim for its next owner
  int wires = 0;           // dims in use, constants not counted
  int heads = 0;
  friend bool operator==(const LayerBudget&, const LayerBudget&) = default;
};

struct Circuit {
  Substrate substrate;
  std::vector<LayerWeights> layers;
  std::vector<LayerBudget> budget;
  TokenEmbedding embedding;
  Unembedding unembedding;
  std::map<std::string, MemoryPlace> memories;  // by the names that docs/circuit.md lists
  std::map<std::string, Probe> probes;          // "stage1.result.lane0", "stage1.predicate"

  // check()s that the name exists.
  MemoryPlace memory(const std::string& name) const;
  friend bool operator==(const Circuit&, const Circuit&) = default;
};

// Nonzero weights of all layers.
std::size_t nonzeros(const Circuit& circuit);

}  // namespace qgpu::model
