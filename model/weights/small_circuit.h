// A circuit for tests of its file.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "interpreter/protocol/token.h"
#include "model/weights/circuit.h"
#include "model/weights/layer_tensors.h"

namespace qgpu::model {

// A small circuit with something in every field; it computes nothing.
inline Circuit smallCircuit(unsigned seed = 1) {
  std::mt19937 random(seed);
  Circuit c;
  c.substrate = {
      .hidden = 64, .first_dim = 16, .dims = 48, .intermediate = 32, .heads = 2, .layers = 3};
  const LayerTensors tensors(c.substrate);
  for (int i = 0; i < c.substrate.layers; ++i) {
    LayerWeights layer;
    for (const MatrixTensor& m : tensors.matrices) {
      std::vector<Entry> entries;
      for (std::uint32_t r = 0; r < m.rows; r += 3)
        entries.push_back({r, static_cast<std::uint32_t>(random() % m.columns),
                           static_cast<float>(random() % 255 + 1)});
      layer.*m.member = SparseMatrix(m.rows, m.columns, std::move(entries));
    }
    for (const VectorTensor& v : tensors.vectors)
      (layer.*v.member).assign(v.size, toBfloat16(static_cast<float>(random() % 9)));
    c.layers.push_back(std::move(layer));
    c.budget.push_back({.units = i, .clearing_units = 1, .wires = 20, .heads = 2});
  }
  c.embedding = {.constants = {{0, 16, 67108864.0f}, {0, 17, 1}}, .starts = {0}, .columns = {}};
  c.unembedding = {.norm = std::vector<bfloat16>(64), .dims = {}, .scale = 128, .codes = {}};
  for (std::uint16_t d = 20; d < 38; ++d) c.unembedding.dims.push_back(d);
  for (int id = 0; id < protocol::vocabulary(); ++id) {
    c.embedding.columns.push_back(static_cast<std::uint16_t>(20 + id % 40));
    c.embedding.starts.push_back(static_cast<std::uint32_t>(c.embedding.columns.size()));
    c.unembedding.codes.push_back(id % 3 == 0 ? Unembedding::kNever : id);
  }
  c.memories = {{"control.pc0", {2, 1}}};
  c.probes = {{"stage1.predicate", {.step = 4, .sign = true, .dims = {30, 31, 32, 33}}}};
  return c;
}

}  // namespace qgpu::model
