// What ptx_narrow.ptx computes.
__global__ void narrow(const unsigned *in, unsigned *out, unsigned char a, short b) {
  unsigned x = in[threadIdx.x];
  int r = a + b + (signed char)(x >> 8) - (int)(x >> 16);
  r = (r ^ (signed char)x) + (int)(x & 0xffff);
  out[threadIdx.x] = (out[threadIdx.x] & 0x00ff0000u) | ((unsigned)r & 0xffff) | x << 24;
}
