// Tricks that every collection has.
__global__ void reverse_bits(unsigned *v) { v[threadIdx.x] = __brev(v[threadIdx.x]); }

__global__ void next_power_of_two(const unsigned *v, unsigned *out) {
  unsigned x = v[threadIdx.x] - 1;
  x |= x >> 1;
  x |= x >> 2;
  x |= x >> 4;
  x |= x >> 8;
  x |= x >> 16;
  out[threadIdx.x] = x + 1;
}

__global__ void lowest_bit(const unsigned *v, unsigned *isolated, unsigned *cleared) {
  unsigned x = v[threadIdx.x];
  isolated[threadIdx.x] = x & (0u - x);
  cleared[threadIdx.x] = x & (x - 1);
}

__global__ void parity(const unsigned *v, int *out) {
  unsigned x = v[threadIdx.x];
  x ^= x >> 16;
  x ^= x >> 8;
  x ^= x >> 4;
  out[threadIdx.x] = 0x6996 >> (x & 15) & 1;
}

__global__ void gray_code(const unsigned *v, unsigned *to, unsigned *back) {
  unsigned g = v[threadIdx.x] ^ v[threadIdx.x] >> 1;
  to[threadIdx.x] = g;
  for (int s = 1; s < 32; s <<= 1) g ^= g >> s;
  back[threadIdx.x] = g;
}
