// Vector length by CORDIC in integers: rotate (x, y) onto the axis with shifts and adds.
__global__ void cordic_length(const int *xs, const int *ys, int *length) {
  int x = abs(xs[threadIdx.x]), y = ys[threadIdx.x];
  x <<= 8;
  y *= 256;
#pragma unroll 1
  for (int i = 0; i < 12; ++i) {
    int dx = x >> i, dy = y >> i;
    if (y > 0) {
      x += dy;
      y -= dx;
    } else {
      x -= dy;
      y += dx;
    }
  }
  // Times 0.60725, the inverse of the rotations' gain.
  length[threadIdx.x] = (x >> 8) * 39797 >> 16;
}
