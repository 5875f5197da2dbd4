// Morton (Z-order) codes: interleaving the bits of two 16-bit coordinates.
__device__ __forceinline__ unsigned int spread(unsigned int x) {
  x &= 0x0000ffff;
  x = (x | (x << 8)) & 0x00FF00FF;
  x = (x | (x << 4)) & 0x0F0F0F0F;
  x = (x | (x << 2)) & 0x33333333;
  x = (x | (x << 1)) & 0x55555555;
  return x;
}

__global__ void morton2d(const ushort2 *points, unsigned int *codes) {
  ushort2 p = points[threadIdx.x];
  codes[threadIdx.x] = spread(p.x) | spread(p.y) << 1;
}
