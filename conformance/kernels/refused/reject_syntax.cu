// A semicolon is missing.
__global__ void add(int *v, int by) {
  int x = v[threadIdx.x]
  v[threadIdx.x] = x + by;
}
