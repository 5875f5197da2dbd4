// What ptx_guards.ptx computes.
__global__ void guards(const int *in, int *out) {
  int x = in[threadIdx.x], r = 0;
  bool high = x > 10, low = x < -10, four = (x & 3) == 0;
  if (high) r = x + 100;
  if (low) r = x - 100;
  if (!high) r ^= 1;
  if (four) r *= 4;
  out[threadIdx.x] = four ? x : r;
  if (low) return;
  out[threadIdx.x] += r;
}
