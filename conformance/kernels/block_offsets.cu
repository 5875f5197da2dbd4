// Scan of each block's part, with the offset from all earlier blocks added by reading them again.
__global__ void scan_with_offsets(const unsigned *in, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned before = 0;
  for (int j = 0; j < i; ++j) before += in[j];
  out[i] = before + in[i];
}
