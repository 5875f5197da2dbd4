// What ptx_permute.ptx computes.
__device__ unsigned byteOf(unsigned x, unsigned y, unsigned i) { return (i < 4 ? x >> 8 * i : y >> 8 * (i - 4)) & 255; }

__global__ void permute(const unsigned *a, const unsigned *b, uint4 *out) {
  unsigned x = a[threadIdx.x], y = b[threadIdx.x], s = threadIdx.x & 3, signs = 0;
  for (unsigned i = 0; i < 4; ++i) signs |= (x >> (8 * i + 7) & 1 ? 255u : 0u) << 8 * i;
  unsigned odd = byteOf(x, y, 1) | byteOf(x, y, 3) << 8 | byteOf(x, y, 5) << 16 | byteOf(x, y, 7) << 24;
  unsigned forward = 0;
  for (unsigned i = 0; i < 4; ++i) forward |= byteOf(x, y, i + s) << 8 * i;
  out[threadIdx.x] = make_uint4(odd, signs, forward, byteOf(x, y, s) * 0x01010101u);
}
