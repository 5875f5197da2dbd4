// memset, iota and a reversed copy.
__global__ void fill(int *p, int value, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = value;
}
__global__ void iota(int *p, int start, int step) { p[threadIdx.x] = start + (int)threadIdx.x * step; }
__global__ void reverse_copy(const int *from, int *to, int n) {
  int i = threadIdx.x;
  if (i < n) to[n - 1 - i] = from[i];
}
