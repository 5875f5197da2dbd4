// Small arrays of a thread that unrolling turns into registers.
__global__ void reverse_four(const int *in, int *out) {
  int v[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) v[i] = in[4 * threadIdx.x + i];
#pragma unroll
  for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = v[3 - i];
}

__global__ void moving_window(const int *in, int *out, int n) {
  int w[3] = {in[0], in[1], in[2]};
  for (int i = 0; i + 3 <= n; ++i) {
    if (threadIdx.x == 0) out[i] = w[0] * w[1] - w[2];
    w[0] = w[1];
    w[1] = w[2];
    w[2] = i + 3 < n ? in[i + 3] : 0;
  }
}
