// CUDA's built-in variables. The runner sets them: the indices each time a thread gets its turn.
#pragma once

#include "vector_types.h"

extern uint3 threadIdx;
extern uint3 blockIdx;
extern dim3 blockDim;
extern dim3 gridDim;
extern int warpSize;
