// Traps and assertions that are never reached.
#include <assert.h>

__global__ void checked_reciprocal(const int *v, int *out) {
  int x = v[threadIdx.x];
  if (x == 0) __trap();
  out[threadIdx.x] = 1000000 / x;
}
