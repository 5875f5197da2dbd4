// Modular exponentiation for moduli below 2^16, and inverses by the extended Euclid.
__global__ void modpow(const unsigned *base, const unsigned *exponent, const unsigned *modulus, unsigned *out) {
  int i = threadIdx.x;
  unsigned m = modulus[i], b = base[i] % m, result = 1 % m;
  for (unsigned e = exponent[i]; e > 0; e >>= 1) {
    if (e & 1) result = result * b % m;
    b = b * b % m;
  }
  out[i] = result;
}

__global__ void inverse_mod(const int *a, int m, int *out) {
  int r0 = m, r1 = a[threadIdx.x], t0 = 0, t1 = 1;
  while (r1 != 0) {
    int q = r0 / r1, r = r0 - q * r1, t = t0 - q * t1;
    r0 = r1;
    r1 = r;
    t0 = t1;
    t1 = t;
  }
  out[threadIdx.x] = r0 != 1 ? 0 : t0 < 0 ? t0 + m : t0;
}
