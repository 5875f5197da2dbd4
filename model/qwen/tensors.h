// The tensors of a Qwen3.5 text model: their stock names and shapes. The loader, the folder check
// and the synthetic checkpoints all go by this one list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interpreter/base/safetensors.h"
#include "model/qwen/config.h"

namespace qgpu::model {

struct TensorSpec {
  std::string name;  // without the checkpoint's prefix: "layers.0.mlp.up_proj.weight"
  Shape shape;
  bool may_be_f32 = false;  // A_log and the gated norm; everything else is BF16
};

// In the order of the forward pass. `lm_head.weight` is among them only where the head is not tied.
std::vector<TensorSpec> tensorsOf(const Config& config);

// Where a tensor stands: multimodal checkpoints put "model.language_model." before every name,
// text-only ones "model."; the head has no prefix in either.
std::string storedName(std::string_view name, bool multimodal);

// True for what a text model does not use and may be present: the vision tower, the multi-token
// prediction block, the stored copy of a tied head.
bool isIgnored(std::string_view stored_name, const Config& config);

// The elements of all tensors: 1,881,825,088 for Qwen3.5-2B.
std::size_t parameterCount(const Config& config);

}  // namespace qgpu::model
