// What printf becomes: a buffer on the stack, a format string, a call of vprintf.
#include <stdio.h>

__device__ __noinline__ int twice(int x) { return 2 * x; }

__global__ void prints(int *out, long long big) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = twice(i);
  if (out[i] > 4) printf("%d of %lld\n", out[i], big);
}
