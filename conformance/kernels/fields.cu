// Packed fields: red, green and blue of 5, 6 and 5 bits; extraction with and without sign.
__global__ void rgb565(const unsigned *rgb, unsigned *packed) {
  unsigned c = rgb[threadIdx.x];
  packed[threadIdx.x] = (c >> 8 & 0xf800) | (c >> 5 & 0x07e0) | (c >> 3 & 0x001f);
}

__global__ void signed_fields(const int *v, int *low, int *middle, int *high) {
  int i = threadIdx.x, x = v[i];
  low[i] = (int)((unsigned)x << 20) >> 20;
  middle[i] = x >> 12 & 0x3ff;
  high[i] = x >> 22;
}

__global__ void narrow(const int *v, int *as_byte, int *as_short, int *as_ubyte) {
  int i = threadIdx.x;
  as_byte[i] = (signed char)v[i];
  as_short[i] = (short)v[i];
  as_ubyte[i] = (unsigned char)v[i];
}
