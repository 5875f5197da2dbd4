// Division of 64-bit integers.
__global__ void divide_wide(const long long *a, const long long *b, long long *quotient, long long *remainder) {
  int i = threadIdx.x;
  quotient[i] = a[i] / b[i];
  remainder[i] = a[i] % b[i];
}

// a * b mod m, where the product has 64 bits.
__global__ void multiply_modulo(const unsigned *a, const unsigned *b, unsigned m, unsigned *out) {
  int i = threadIdx.x;
  out[i] = (unsigned)((unsigned long long)a[i] * b[i] % m);
}

__global__ void power_modulo(const unsigned *base, const unsigned *exponent, unsigned m, unsigned *out) {
  unsigned long long result = 1, square = base[threadIdx.x] % m;
  for (unsigned e = exponent[threadIdx.x]; e != 0; e >>= 1) {
    if (e & 1) result = result * square % m;
    square = square * square % m;
  }
  out[threadIdx.x] = (unsigned)result;
}

// Hash of a text, modulo a prime: what is divided grows beyond 32 bits at each step.
__global__ void rolling_hash(const unsigned char *text, int n, unsigned *out) {
  unsigned long long h = 0;
  for (int i = 0; i < n; ++i) h = (h * 16777619u + text[i]) % 4294967291u;
  *out = (unsigned)h;
}
