// Byte permutations: endianness, and picking by selectors of which CUDA looks at three bits in four.
__global__ void swap_bytes(const unsigned *in, unsigned *out) {
  out[threadIdx.x] = __byte_perm(in[threadIdx.x], 0, 0x0123);
}

__global__ void pick_bytes(const unsigned *a, const unsigned *b, const unsigned *selector, unsigned *out) {
  int i = threadIdx.x;
  out[i] = __byte_perm(a[i], b[i], selector[i]);
}

__global__ void swap_by_shifts(const unsigned *in, unsigned *out) {
  unsigned x = in[threadIdx.x];
  out[threadIdx.x] = x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}
