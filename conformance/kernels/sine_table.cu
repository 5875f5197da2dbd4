// Sines in degrees from a quarter-wave table in constant memory (every 15 degrees), interpolated.
__constant__ int quarter[7] = {0, 8481, 16384, 23170, 28378, 31651, 32767};

__global__ void sine(const int *degrees, int *out) {
  int d = degrees[threadIdx.x] % 360;
  if (d < 0) d += 360;
  int sign = 1;
  if (d >= 180) d -= 180, sign = -1;
  if (d > 90) d = 180 - d;
  int k = d / 15, r = d % 15;
  int v = k == 6 ? quarter[6] : quarter[k] + (quarter[k + 1] - quarter[k]) * r / 15;
  out[threadIdx.x] = sign * v;
}
