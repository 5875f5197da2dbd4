// Division and remainder, signed and unsigned, by variables and constants. Never by zero.
__global__ void divide_signed(const int *a, const int *b, int *q, int *r) {
  int i = threadIdx.x;
  q[i] = a[i] / b[i];
  r[i] = a[i] % b[i];
}

__global__ void divide_unsigned(const unsigned *a, const unsigned *b, unsigned *q, unsigned *r) {
  int i = threadIdx.x;
  q[i] = a[i] / b[i];
  r[i] = a[i] % b[i];
}

__global__ void divide_by_constants(const int *a, int *out) {
  int i = threadIdx.x, x = a[i];
  int *o = out + 6 * i;
  o[0] = x / 3;
  o[1] = x / 10;
  o[2] = x / -7;
  o[3] = x / 16;
  o[4] = x % 8;
  o[5] = x % 1000;
}

__global__ void divide_unsigned_by_constants(const unsigned *a, unsigned *out) {
  int i = threadIdx.x;
  unsigned x = a[i], *o = out + 6 * i;
  o[0] = x / 3;
  o[1] = x / 7;
  o[2] = x / 641;
  o[3] = x / 0x80000001u;
  o[4] = x % 10;
  o[5] = x % 64;
}

__global__ void ceiling_and_floor(const int *a, int b, int *up, int *down, int *modulo) {
  int i = threadIdx.x, x = a[i], q = x / b, r = x % b;
  up[i] = q + (r > 0);
  down[i] = q - (r < 0);
  modulo[i] = r < 0 ? r + b : r;
}
