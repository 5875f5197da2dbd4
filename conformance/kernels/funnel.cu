// Funnel shifts of two words: wrapped and clamped amounts.
__global__ void funnel(const unsigned *lo, const unsigned *hi, const unsigned *s, uint4 *out) {
  int i = threadIdx.x;
  out[i] = make_uint4(__funnelshift_l(lo[i], hi[i], s[i]), __funnelshift_r(lo[i], hi[i], s[i]),
                      __funnelshift_lc(lo[i], hi[i], s[i]), __funnelshift_rc(lo[i], hi[i], s[i]));
}
