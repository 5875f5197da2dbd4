// From the tensors of a checkpoint to the weights of the layers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/layers/decoder_layer.h"
#include "model/qwen/checkpoint.h"

namespace qgpu::model {

class WeightBinder {
 public:
  using Storage = std::vector<std::unique_ptr<std::vector<bfloat16>>>;

  // With Rounding::Bfloat16 a vector that is stored in F32 is rounded; the copy lives in `storage`.
  WeightBinder(const Checkpoint& checkpoint, Rounding rounding, Storage& storage)
      : checkpoint_(checkpoint), rounding_(rounding), storage_(storage) {}

  // [rows, the product of the other dimensions]
  WeightView matrix(std::string_view name) { return view(name, true); }
  WeightView vector(std::string_view name) { return view(name, false); }
  DecoderLayer layer(std::size_t index);

 private:
  WeightView view(std::string_view name, bool as_matrix);
  GatedDeltaNetWeights linearAttention(const std::string& prefix);
  AttentionWeights fullAttention(const std::string& prefix);

  const Checkpoint& checkpoint_;
  Rounding rounding_;
  Storage& storage_;
};

}  // namespace qgpu::model
