// All comparisons of signed and unsigned numbers, as bits; and logic on truth values.
__global__ void comparisons(const int *a, const int *b, unsigned *out) {
  int i = threadIdx.x, x = a[i], y = b[i];
  unsigned u = x, v = y;
  out[i] = (x == y) | (x != y) << 1 | (x < y) << 2 | (x <= y) << 3 | (x > y) << 4 | (x >= y) << 5 | (u < v) << 6 |
           (u <= v) << 7 | (u > v) << 8 | (u >= v) << 9;
}

__global__ void truth(const int *a, const int *b, const int *c, int *out) {
  int i = threadIdx.x;
  bool p = a[i] > 0, q = b[i] > 0, r = c[i] > 0;
  out[i] = (p && q) + ((p || r) << 1) + ((p != q) << 2) + ((!p && r) << 3) + ((p ? q : r) << 4) + ((p == (q && r)) << 5);
}

__global__ void predicated_store(const int *v, int *out, int low, int high) {
  int i = threadIdx.x, x = v[i];
  if (x >= low && x < high && (x & 1)) out[i] = x;
}
