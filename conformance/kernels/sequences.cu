// Sequences by index.
__global__ void fibonacci(unsigned *out) {
  unsigned a = 0, b = 1;
  for (unsigned i = 0; i < blockIdx.x * blockDim.x + threadIdx.x; ++i) {
    unsigned c = a + b;
    a = b;
    b = c;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}

__global__ void factorial_mod(const int *n, int p, int *out) {
  int f = 1;
  for (int k = 2; k <= n[threadIdx.x]; ++k) f = f * k % p;
  out[threadIdx.x] = f;
}

__global__ void triangular(const unsigned *n, unsigned *out) {
  const unsigned x = n[threadIdx.x];
  out[threadIdx.x] = x % 2 == 0 ? x / 2 * (x + 1) : (x + 1) / 2 * x;
}

__global__ void binomial(const int *n, const int *k, int *out) {
  int c = 1;
  for (int i = 1; i <= k[threadIdx.x]; ++i) c = c * (n[threadIdx.x] - k[threadIdx.x] + i) / i;
  out[threadIdx.x] = c;
}

__global__ void catalan(int *out) {
  __shared__ int c[10];
  if (threadIdx.x == 0) c[0] = 1;
  for (int n = 1; n < 10; ++n) {
    __syncthreads();
    if (threadIdx.x == 0) c[n] = 0;
    __syncthreads();
    if (threadIdx.x < n) atomicAdd(&c[n], c[threadIdx.x] * c[n - 1 - threadIdx.x]);
  }
  __syncthreads();
  if (threadIdx.x < 10) out[threadIdx.x] = c[threadIdx.x];
}
