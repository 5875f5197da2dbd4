// Finds and loads the shared library with clang in it.
#pragma once

#include "compiler/cuda/frontend/frontend.h"
#include "interpreter/base/failure.h"

namespace qgpu::cuda {

// Loads on the first call; later calls cost nothing. Looks beside the executable, in ../lib from
// there, and where the build put it. Thread safe. Refused: it is not there, or does not load.
Expected<const FrontEnd*> frontEnd();

}  // namespace qgpu::cuda
