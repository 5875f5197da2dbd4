// Pseudo-random generators, each advanced a few steps from its own seed.
__global__ void xorshift32(unsigned *state, int steps) {
  unsigned x = state[threadIdx.x];
  for (int i = 0; i < steps; i++) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }
  state[threadIdx.x] = x;
}

__global__ void lcg(unsigned *state, int steps) {
  unsigned x = state[threadIdx.x];
  for (int i = 0; i < steps; i++) x = 1664525u * x + 1013904223u;
  state[threadIdx.x] = x;
}

__global__ void lfsr16(unsigned *state, int steps) {
  unsigned x = state[threadIdx.x];
  while (steps--) {
    unsigned bit = (x ^ x >> 2 ^ x >> 3 ^ x >> 5) & 1;
    x = x >> 1 | bit << 15;
  }
  state[threadIdx.x] = x;
}

__global__ void wang_hash(const unsigned *seed, unsigned *out) {
  unsigned x = seed[threadIdx.x];
  x = x ^ 61 ^ x >> 16;
  x *= 9;
  x ^= x >> 4;
  x *= 0x27d4eb2d;
  x ^= x >> 15;
  out[threadIdx.x] = x;
}

__global__ void tempering(const unsigned *in, unsigned *out) {
  unsigned y = in[threadIdx.x];
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680u;
  y ^= y << 15 & 0xefc60000u;
  y ^= y >> 18;
  out[threadIdx.x] = y;
}

__global__ void middle_square(unsigned *state, int steps) {
  unsigned x = state[threadIdx.x];
  for (int i = 0; i < steps; i++) x = x * x / 100 % 10000;
  state[threadIdx.x] = x;
}
