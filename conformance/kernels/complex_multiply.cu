// Complex numbers with integer parts as int2, one 8-byte load each.
__global__ void complex_multiply(const int2 *a, const int2 *b, int2 *c) {
  int2 p = a[threadIdx.x], q = b[threadIdx.x];
  c[threadIdx.x] = make_int2(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x);
}
