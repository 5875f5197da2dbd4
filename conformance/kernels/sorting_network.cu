// Five comparators sort four values in registers; and the median of three without branches.
#define CSWAP(a, b) { const int lo = min(a, b), hi = max(a, b); a = lo; b = hi; }

__global__ void sort4(int4 *rows) {
  int4 v = rows[threadIdx.x];
  CSWAP(v.x, v.y)
  CSWAP(v.z, v.w)
  CSWAP(v.x, v.z)
  CSWAP(v.y, v.w)
  CSWAP(v.y, v.z)
  rows[threadIdx.x] = v;
}

__global__ void median3(const int *a, int *out) {
  const int *p = a + threadIdx.x;
  out[threadIdx.x] = max(min(p[0], p[1]), min(max(p[0], p[1]), p[2]));
}
