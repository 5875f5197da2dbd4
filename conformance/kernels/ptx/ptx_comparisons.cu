// What ptx_comparisons.ptx computes.
__global__ void comparisons(const int *a, const int *b, int4 *out) {
  int x = a[threadIdx.x], y = b[threadIdx.x];
  bool p1 = x < y, p2 = !p1;
  bool p3 = (unsigned)x >= (unsigned)y && p1;
  bool p4 = x == 0 || !p2;
  bool p5 = (y != 5) != p4;
  bool p6 = !((p3 != p5) && p2);
  out[threadIdx.x] = make_int4(p1 ? 7 : x, p2 ? y : -9, p3 + 2 * p4 + 4 * p5 + 8 * p6, y >= 0 ? x : y);
}
