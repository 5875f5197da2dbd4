// What ptx_bit_fields.ptx computes.
__global__ void bit_fields(const unsigned *a, const unsigned *b, unsigned *out) {
  unsigned x = a[threadIdx.x], y = b[threadIdx.x], *o = out + 5 * threadIdx.x;
  o[0] = x >> 5 & 127;
  o[1] = (unsigned)((int)x >> 28);
  o[2] = (x & ~(0xfffu << 8)) | (y & 0xfff) << 8;
  o[3] = 31u - __clz(x);
  o[4] = x ^ y ^ o[0];
}
