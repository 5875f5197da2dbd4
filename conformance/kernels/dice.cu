// Throws of two dice from an LCG's high bits: a histogram of sums, and points in a quarter circle.
__global__ void two_dice(const unsigned *seed, int *sums, int throws) {
  unsigned x = seed[threadIdx.x];
  for (int i = 0; i < throws; ++i) {
    x = x * 69069u + 1u;
    unsigned first = __umulhi(x, 6);
    x = x * 69069u + 1u;
    atomicAdd(&sums[first + __umulhi(x, 6)], 1);
  }
}

__global__ void quarter_circle(unsigned seed, int tries, int *inside) {
  unsigned x = seed + 0x9e3779b9u * (threadIdx.x + 1);
  int hits = 0;
  for (int i = 0; i < tries; ++i) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    unsigned a = x & 0x7fff, b = x >> 17;
    hits += a * a + b * b <= 0x3fff0001u;
  }
  atomicAdd(inside, hits);
}
