// One pass of a radix sort: zeros of a bit first, ones after them, order kept.
__global__ void split_by_bit(const unsigned *in, unsigned *out, int bit) {
  __shared__ int zeros[32];
  int t = threadIdx.x, n = blockDim.x;
  unsigned x = in[t];
  int zero = ~x >> bit & 1;
  zeros[t] = zero;
  __syncthreads();
  int before = 0, total = 0;
  for (int i = 0; i < n; ++i) {
    if (i < t) before += zeros[i];
    total += zeros[i];
  }
  out[zero ? before : total + t - before] = x;
}
