// Histograms: straight into global memory, and through privatised counters in shared memory.
__global__ void histo_global(const unsigned int *data, unsigned int *histo, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int stride = blockDim.x * gridDim.x;
  while (i < n) {
    atomicAdd(&(histo[data[i] & 7]), 1);
    i += stride;
  }
}

__global__ void histo_shared(const unsigned int *data, unsigned int *histo, int n) {
  __shared__ unsigned int temp[8];
  if (threadIdx.x < 8) temp[threadIdx.x] = 0;
  __syncthreads();
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) atomicAdd(&temp[data[i] >> 29], 1u);
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&(histo[threadIdx.x]), temp[threadIdx.x]);
}
