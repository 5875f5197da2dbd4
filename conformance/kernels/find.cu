// The first position of a value, its last position, and how often it occurs.
__global__ void find(const int *v, int n, int wanted, int *first, int *last, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && v[i] == wanted) {
    atomicMin(first, i);
    atomicMax(last, i);
    atomicAdd(count, 1);
  }
}
