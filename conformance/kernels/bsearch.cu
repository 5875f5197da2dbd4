// lower_bound and upper_bound of many needles in one sorted array.
__device__ int lower_bound(const int *a, int n, int x) {
  int lo = 0;
  while (n > 0) {
    int half = n >> 1;
    if (a[lo + half] < x) {
      lo += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return lo;
}

__global__ void lower_bounds(const int *a, int n, const int *needles, int *where) {
  where[threadIdx.x] = lower_bound(a, n, needles[threadIdx.x]);
}

__global__ void branchless_search(const unsigned *a, const unsigned *needles, int *where) {
  unsigned x = needles[threadIdx.x];
  int at = 0;
#pragma unroll
  for (int step = 16; step > 0; step >>= 1)
    at += a[at + step - 1] <= x ? step : 0;
  where[threadIdx.x] = at;
}
