// High halves of products, and the multiply-add with a high half.
__global__ void high_products(const int *a, const int *b, int *s, unsigned *u) {
  int i = threadIdx.x;
  s[i] = __mulhi(a[i], b[i]);
  u[i] = __umulhi(a[i], b[i]);
}

__global__ void mad_hi(const int *a, const int *b, int *c) {
  int i = threadIdx.x;
  c[i] = (int)((unsigned)__mulhi(a[i], b[i]) + (unsigned)c[i]);
}

__global__ void mul24(const int *a, const int *b, int *s, unsigned *u) {
  int i = threadIdx.x;
  s[i] = __mul24(a[i], b[i]);
  u[i] = __umul24(a[i], b[i]);
}

__global__ void egyptian(const unsigned *a, const unsigned *b, unsigned *out) {
  unsigned x = a[threadIdx.x], y = b[threadIdx.x], sum = 0;
  do {
    if (y % 2 != 0) sum += x;
    x += x;
    y /= 2;
  } while (y > 0);
  out[threadIdx.x] = sum;
}
