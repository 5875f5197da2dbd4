// CUDA's keywords, which the C++ compiler does not know, as attributes and storage classes it does.
#pragma once

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) alignas(bytes)
#define __launch_bounds__(...)
// Why thread_local: see conformance/cpu/shared_memory.h.
#define __shared__ thread_local
