// The two ways in which the stock formulas are evaluated.
//
//   Float32   every activation and every intermediate is an IEEE binary32.
//   Bfloat16  the same formulas, with a rounding to bfloat16 at every point where Hugging Face
//             transformers, running in torch.bfloat16 with its plain PyTorch layers and eager
//             attention, stores a tensor. Sums run in binary32 and are rounded once at their end.
//
// Activations are held as float in both; after a `rounded<Rounding::Bfloat16>` they are values that
// bfloat16 represents. Weights are used as stored in Float32. Bfloat16 expects weights that are
// representable in bfloat16 (transformers casts every weight on loading, norms and A_log included).
#pragma once

#include "interpreter/base/bfloat16.h"

namespace qgpu::model {

enum class Rounding : unsigned char { Float32, Bfloat16 };

template <Rounding kRounding>
constexpr float rounded(float value) {
  if constexpr (kRounding == Rounding::Bfloat16) return roundToBfloat16(value);
  return value;
}

// Calls a function templated on the rounding with that of a model:
//
//   withRounding(options.rounding, [&]<Rounding kRounding>() { addMlp<kRounding>(layer, x, w); });
template <typename Function>
decltype(auto) withRounding(Rounding rounding, const Function& function) {
  if (rounding == Rounding::Bfloat16) return function.template operator()<Rounding::Bfloat16>();
  return function.template operator()<Rounding::Float32>();
}

}  // namespace qgpu::model
