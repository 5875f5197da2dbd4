// nvcc --ptx -arch=sm_75 makes nvcc_division.ptx of this file.
extern "C" __global__ void quotients(const unsigned *v, unsigned by, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = v[i];
  out[i] = (x / by) ^ (x % 10 << 4) ^ x / 1000;
}
