// The product modulo 2^32, by a tree in shared memory.
__global__ void product(const unsigned *v, unsigned *out) {
  __shared__ unsigned tree[16];
  const int t = threadIdx.x;
  tree[t] = v[t];
  __syncthreads();
#pragma unroll
  for (int s = 8; s >= 1; s /= 2) {
    if (t < s) tree[t] *= tree[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tree[0];
}
