// Powers of [[a, b], [c, d]] modulo 2^32 by squaring; [[1, 1], [1, 0]] gives Fibonacci numbers.
struct M2 { unsigned a, b, c, d; };

__device__ M2 operator*(const M2 &x, const M2 &y) {
  return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}

__global__ void fibonacci_by_squaring(const unsigned *n, unsigned *out) {
  M2 result = {1, 0, 0, 1}, base = {1, 1, 1, 0};
  for (unsigned e = n[threadIdx.x]; e != 0; e >>= 1) {
    if (e & 1) result = result * base;
    base = base * base;
  }
  out[threadIdx.x] = result.b;
}
