#include "model/weights/circuit.h"

#include "interpreter/base/failure.h"

namespace qgpu::model {

MemoryPlace Circuit::memory(const std::string& name) const {
  const auto found = memories.find(name);
  check(found != memories.end(), "a memory is asked for by a name that it has");
  return found->second;
}

std::size_t nonzeros(const Circuit& circuit) {
  std::size_t sum = 0;
  for (const LayerWeights& layer : circuit.layers)
    sum += layer.mixerNonzeros() + layer.mlpNonzeros();
  return sum;
}

}  // namespace qgpu::model
