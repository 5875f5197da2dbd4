// Doubling a row of samples: copies at even places, means at odd ones, in unsigned arithmetic.
__global__ void upsample(const unsigned *in, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 2 * n - 1) return;
  out[i] = i % 2 == 0 ? in[i / 2] : __uhadd(in[i / 2], in[i / 2 + 1]);
}
