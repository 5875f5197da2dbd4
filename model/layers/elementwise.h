// The scalar functions of the layers, each as PyTorch evaluates it in binary32, and RMSNorm's
// sibling reductions. Dense and sparse engines share them, so their bits agree.
#pragma once

#include <cmath>

namespace qgpu::model {

// x / (1 + e^-x). Exactly x for x >= 16.75; -0 for x <= -89, where e^-x overflows. Most units of a
// compiled layer meet 0, of which the quotient is the same 0.
inline float silu(float x) { return x == 0.0f ? x : x / (1.0f + std::exp(-x)); }

inline float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

// log(1 + e^x), taken as x above 20.
inline float softplus(float x) { return x > 20.0f ? x : std::log1p(std::exp(x)); }

// Two roundings: of the root and of the quotient.
inline float reciprocalSqrt(float x) { return 1.0f / std::sqrt(x); }

}  // namespace qgpu::model
