// Atomic functions on 64-bit integers.
__global__ void sum_of_squares(const int *v, int n, unsigned long long *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, (unsigned long long)((long long)v[i] * v[i]));
}

// The largest value and where it stands first, in one word: the value above, the place, counted from
// the end, below.
__global__ void largest_and_where(const unsigned *v, int n, unsigned long long *best) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(best, (unsigned long long)v[i] << 32 | (unsigned)(n - 1 - i));
}

__global__ void extremes_wide(const long long *v, int n, long long *least, long long *most) {
  int i = threadIdx.x;
  if (i >= n) return;
  atomicMin(least, v[i]);
  atomicMax(most, v[i]);
}

__global__ void bits_wide(const unsigned long long *v, unsigned long long *all, unsigned long long *any,
                          unsigned long long *odd) {
  unsigned long long x = v[threadIdx.x];
  atomicAnd(all, x);
  atomicOr(any, x);
  atomicXor(odd, x);
}

// A sum by compare and swap, as one writes an operation that CUDA has no function for.
__global__ void product_by_swap(const unsigned *v, unsigned long long *product) {
  unsigned long long seen = *product, expected;
  do {
    expected = seen;
    seen = atomicCAS(product, expected, expected * v[threadIdx.x]);
  } while (seen != expected);
}

// Each slot is taken by one thread: the others find it full.
__global__ void exchange_wide(unsigned long long *slots, const unsigned long long *v, unsigned long long *got) {
  int i = threadIdx.x;
  got[i] = atomicExch(&slots[i], v[i]);
}
