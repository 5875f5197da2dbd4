// What ptx_shifts.ptx computes.
__global__ void clamped_shifts(const unsigned *v, const unsigned *by, unsigned *out) {
  unsigned x = v[threadIdx.x], s = by[threadIdx.x], *o = out + 5 * threadIdx.x;
  o[0] = s > 31 ? 0 : x << s;
  o[1] = s > 31 ? 0 : x >> s;
  o[2] = (unsigned)((int)x >> (s > 31 ? 31 : s));
  o[3] = x << (s & 31) | (s & 31 ? x >> (32 - (s & 31)) : 0);
  o[4] = __funnelshift_rc(x, o[0], s);
}
