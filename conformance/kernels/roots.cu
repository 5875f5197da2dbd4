// Integer square roots bit by bit, by Newton, and cube roots by search.
__global__ void isqrt(const unsigned *v, unsigned *root) {
  unsigned x = v[threadIdx.x], r = 0;
  for (unsigned bit = 1u << 30; bit != 0; bit >>= 2) {
    if (x >= r + bit) {
      x -= r + bit;
      r = (r >> 1) + bit;
    } else {
      r >>= 1;
    }
  }
  root[threadIdx.x] = r;
}

__global__ void newton_sqrt(const int *v, int *root) {
  int x = v[threadIdx.x];
  int r = x, next = (x + 1) / 2;
  while (next < r) {
    r = next;
    next = (r + x / r) / 2;
  }
  root[threadIdx.x] = r;
}

__global__ void icbrt(const int *v, int *root) {
  int x = v[threadIdx.x], r = 0;
  while ((r + 1) * (r + 1) * (r + 1) <= x) ++r;
  root[threadIdx.x] = r;
}
