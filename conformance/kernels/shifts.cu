// Shifts of all kinds by variable amounts, and rotations.
__global__ void shifts(const int *v, const int *amount, int *out) {
  int i = threadIdx.x, s = amount[i];
  out[4 * i] = (int)((unsigned)v[i] << s);
  out[4 * i + 1] = (int)((unsigned)v[i] >> s);
  out[4 * i + 2] = v[i] >> s;
  out[4 * i + 3] = v[i] >> (31 - s);
}

__global__ void rotations(const unsigned *v, const unsigned *by, unsigned *left, unsigned *right) {
  int i = threadIdx.x;
  unsigned x = v[i], s = by[i] & 31;
  left[i] = x << s | x >> (32 - s & 31);
  right[i] = __funnelshift_r(x, x, by[i]);
}
