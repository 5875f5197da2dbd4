// PCG32: a 64-bit state, an output permutation with a data-dependent rotation.
__global__ void pcg32(unsigned long long *state, unsigned *out, int n) {
  unsigned long long s = state[threadIdx.x];
  for (int i = 0; i < n; ++i) {
    unsigned long long old = s;
    s = old * 6364136223846793005ULL + 1442695040888963407ULL;
    unsigned int xorshifted = (unsigned int)(((old >> 18u) ^ old) >> 27u);
    unsigned int rot = (unsigned int)(old >> 59u);
    out[threadIdx.x * n + i] = (xorshifted >> rot) | (xorshifted << ((32 - rot) & 31));
  }
  state[threadIdx.x] = s;
}
