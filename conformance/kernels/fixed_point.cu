// Arithmetic in 16.16 and 24.8 fixed point.
typedef int fixed;

__device__ fixed mul16(fixed a, fixed b) {
  return (fixed)((unsigned)__mulhi(a, b) << 16 | (unsigned)a * (unsigned)b >> 16);
}

__global__ void multiply_fixed(const fixed *a, const fixed *b, fixed *c) {
  c[threadIdx.x] = mul16(a[threadIdx.x], b[threadIdx.x]);
}

__global__ void lerp(const int *a, const int *b, const int *t, int *out) {
  int i = threadIdx.x;
  out[i] = a[i] + ((b[i] - a[i]) * t[i] >> 8);
}

__global__ void to_fahrenheit(const int *tenths_celsius, int *tenths) {
  tenths[threadIdx.x] = tenths_celsius[threadIdx.x] * 9 / 5 + 320;
}

__global__ void round_div(const int *x, int by, int *out) {
  int v = x[threadIdx.x];
  out[threadIdx.x] = v >= 0 ? (v + by / 2) / by : -((-v + by / 2) / by);
}
