// 64-bit integers.
__global__ void sum_and_difference(const long long *a, const long long *b, long long *out) {
  int i = threadIdx.x;
  out[2 * i] = (long long)((unsigned long long)a[i] + (unsigned long long)b[i]);
  out[2 * i + 1] = (long long)((unsigned long long)a[i] - (unsigned long long)b[i]);
}

__global__ void wide_product(const int *a, const int *b, long long *out) {
  out[threadIdx.x] = (long long)a[threadIdx.x] * b[threadIdx.x];
}

__global__ void full_product(const unsigned long long *a, const unsigned long long *b, unsigned long long *out) {
  out[threadIdx.x] = a[threadIdx.x] * b[threadIdx.x];
}

__global__ void compare_wide(const long long *a, const long long *b, int *out) {
  int i = threadIdx.x;
  unsigned long long u = a[i], v = b[i];
  out[i] = (a[i] < b[i]) | (a[i] == b[i]) << 1 | (u < v) << 2 | (a[i] >= b[i]) << 3;
}

__global__ void shift_wide(const unsigned long long *v, const int *by, unsigned long long *out) {
  int i = threadIdx.x;
  out[2 * i] = v[i] << by[i];
  out[2 * i + 1] = (unsigned long long)((long long)v[i] >> by[i]);
}

__global__ void accumulate(const unsigned *v, int n, unsigned long long *sum) {
  unsigned long long s = 0;
  for (int i = 0; i < n; ++i) s += v[i];
  if (threadIdx.x == 0) *sum = s;
}

__global__ void popcount_wide(const unsigned long long *v, int *out) {
  out[threadIdx.x] = __popcll(v[threadIdx.x]);
}
