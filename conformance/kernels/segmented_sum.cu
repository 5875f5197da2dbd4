// Sums of segments that a list of keys delimits: an atomic for each element.
__global__ void segmented_sum(const int *keys, const int *values, int *sums, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&sums[keys[i]], values[i]);
}
