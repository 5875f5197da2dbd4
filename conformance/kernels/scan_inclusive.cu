// Hillis and Steele's inclusive scan with two buffers in turn.
__global__ void scan_inclusive(const int *in, int *out) {
  __shared__ int buffer[2][16];
  int t = threadIdx.x, from = 0;
  buffer[0][t] = in[t];
  __syncthreads();
  for (int d = 1; d < 16; d <<= 1) {
    buffer[1 - from][t] = buffer[from][t] + (t >= d ? buffer[from][t - d] : 0);
    from = 1 - from;
    __syncthreads();
  }
  out[t] = buffer[from][t];
}
