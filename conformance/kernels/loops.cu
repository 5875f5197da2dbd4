// Loops in all shapes.
__global__ void two_exits(const int *v, int n, int stop, int limit, int *out) {
  int sum = 0, i = threadIdx.x;
  while (i < n) {
    if (v[i] == stop) break;
    if (v[i] < 0) {
      ++i;
      continue;
    }
    sum += v[i++];
    if (sum > limit) break;
  }
  out[threadIdx.x] = sum * 100 + i;
}

__global__ void triple_loop(int *out, int n) {
  int count = 0;
  for (int a = 1; a <= n; ++a)
    for (int b = a; b <= n; ++b)
      for (int c = b; c <= n; ++c)
        if (a * a + b * b == c * c) ++count;
  out[threadIdx.x] = count * (int)threadIdx.x;
}

__global__ void unrolled(const int *v, int *out) {
  int acc = 0;
#pragma unroll
  for (int i = 0; i < 6; ++i) acc = acc * 3 + v[(threadIdx.x + i) % 8];
  out[threadIdx.x] = acc;
}

__global__ void rolled(const int *v, int *out, int n) {
  int acc = 0;
#pragma unroll 1
  for (int i = n; i-- > 0;) acc = (acc << 1) ^ v[i];
  out[threadIdx.x] = acc + (int)threadIdx.x;
}

__global__ void zero_trips(int *out, const int *trips) {
  int n = 0;
  for (int i = 0; i < trips[threadIdx.x]; ++i) ++n;
  int m = 0;
  do ++m;
  while (m < trips[threadIdx.x]);
  out[2 * threadIdx.x] = n;
  out[2 * threadIdx.x + 1] = m;
}

__global__ void different_trips(const int *trips, unsigned *out) {
  unsigned x = threadIdx.x + 1;
  for (int outer = 0; outer < trips[threadIdx.x]; ++outer)
    for (int inner = outer; inner >= 0; --inner) x = x * 5 + inner;
  out[threadIdx.x] = x;
}
