// Greatest common divisors: Euclid with remainders, and Stein without any.
__device__ unsigned euclid(unsigned a, unsigned b) {
  while (b != 0) {
    unsigned r = a % b;
    a = b;
    b = r;
  }
  return a;
}

__global__ void gcd(const unsigned *a, const unsigned *b, unsigned *out) {
  int i = threadIdx.x;
  out[i] = euclid(a[i], b[i]);
}

__global__ void lcm(const unsigned *a, const unsigned *b, unsigned *out) {
  int i = threadIdx.x;
  out[i] = a[i] / euclid(a[i], b[i]) * b[i];
}

__global__ void binary_gcd(const unsigned *a, const unsigned *b, unsigned *out) {
  unsigned u = a[threadIdx.x], v = b[threadIdx.x];
  int shift = __ffs(u | v) - 1;
  u >>= __ffs(u) - 1;
  do {
    v >>= __ffs(v) - 1;
    if (u > v) {
      unsigned t = u;
      u = v;
      v = t;
    }
    v -= u;
  } while (v != 0);
  out[threadIdx.x] = u << shift;
}
