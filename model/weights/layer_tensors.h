// The tensors of one layer: their stock names, shapes and members. Whatever reads, writes or
// expands layers goes by this one list.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "model/weights/layer_weights.h"
#include "model/weights/substrate.h"

namespace qgpu::model {

struct MatrixTensor {
  std::string_view name;  // behind "model.layers.N."
  SparseMatrix LayerWeights::* member;
  std::size_t rows;
  std::size_t columns;
};
struct VectorTensor {
  std::string_view name;
  std::vector<bfloat16> LayerWeights::* member;
  std::size_t size;
};

struct LayerTensors {
  explicit LayerTensors(const Substrate& substrate);
  std::array<MatrixTensor, 9> matrices;
  std::array<VectorTensor, 5> vectors;
};

// "model.layers.3.mlp.gate_proj.weight"
std::string tensorName(std::size_t layer, std::string_view name);

}  // namespace qgpu::model
