// What ptx_products.ptx computes.
__global__ void products(const unsigned *a, const unsigned *b, unsigned *out) {
  unsigned x = a[threadIdx.x], y = b[threadIdx.x], *o = out + 6 * threadIdx.x;
  o[0] = (unsigned)__mulhi((int)x, (int)y) + x;
  o[1] = __umulhi(x, y) + 5;
  o[2] = (x < y ? y - x : x - y) + threadIdx.x;
  o[3] = (unsigned)__mul24((int)x, (int)y);
  unsigned long long wide = (unsigned long long)x * y + y;
  o[4] = (unsigned)wide;
  o[5] = (unsigned)(wide >> 32);
}
