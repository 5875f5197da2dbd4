// For the program that makes the precompiled header: it has none yet.
#include "compiler/cuda/frontend/prelude.h"

namespace qgpu::cuda {

EmbeddedPch embeddedPch() { return {}; }

}  // namespace qgpu::cuda
