// What compare-and-swap is for: any read-modify-write, lock-free.
__device__ unsigned atomicMulMod(unsigned *address, unsigned factor, unsigned modulus) {
  unsigned old = *address, assumed;
  do {
    assumed = old;
    old = atomicCAS(address, assumed, assumed * factor % modulus);
  } while (assumed != old);
  return old;
}

__global__ void product_mod(unsigned *cell, const unsigned *v, unsigned modulus) {
  atomicMulMod(cell, v[threadIdx.x], modulus);
}

__global__ void first_come(int *owner, int *winners) {
  int seat = threadIdx.x % 4;
  if (atomicCAS(&owner[seat], -1, (int)threadIdx.x) == -1) atomicAdd(&winners[seat], 1);
}

__global__ void saturating_add(int *total, const int *v, int limit) {
  int x = v[blockIdx.x * blockDim.x + threadIdx.x];
  int old = *(volatile int *)total;
  for (;;) {
    int seen = atomicCAS(total, old, min(old + x, limit));
    if (seen == old) break;
    old = seen;
  }
}

// A histogram in bins of 16 bits, two in each word, that stop at a limit.
__global__ void short_bins(const unsigned char *v, int n, unsigned short *bins, unsigned short limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned short *bin = &bins[v[i] & 7];
  unsigned short seen = *bin, expected;
  do {
    expected = seen;
    if (expected == limit) break;
    seen = atomicCAS(bin, expected, (unsigned short)(expected + 1));
  } while (seen != expected);
}
