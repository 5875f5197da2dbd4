// Joint histogram of two small variables on a 2-D grid of samples.
__global__ void joint(const int *x, const int *y, int *table, int columns) {
  int i = blockIdx.y * gridDim.x + blockIdx.x;
  i = i * blockDim.x + threadIdx.x;
  atomicAdd(&table[y[i] * columns + x[i]], 1);
}
