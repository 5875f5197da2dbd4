#include <cuda_runtime.h>
__constant__ int table[3] = {5, -7, 9};
template <typename T>
__device__ T clamp(T x, T low, T high) { return x < low ? low : x > high ? high : x; }
__global__ void k(unsigned *out, short *s) {
  __shared__ int part[4];
  part[threadIdx.x] = clamp<int>(s[threadIdx.x] * table[threadIdx.x % 3], -20, 20);
  __syncthreads();
  for (int step = 2; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  out[threadIdx.x] = __shfl_xor_sync(~0u, part[0], 1) + __popc(__ballot_sync(~0u, part[1] > 3));
}
