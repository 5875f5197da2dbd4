// Counting sort of small keys: count, scan the counts, then place from the back so that it is stable.
__global__ void counting_sort(const int *keys, int *sorted, int n) {
  __shared__ int first[9];
  if (threadIdx.x < 9) first[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < n) atomicAdd(&first[keys[threadIdx.x] + 1], 1);
  __syncthreads();
  if (threadIdx.x == 0)
    for (int k = 1; k < 9; ++k) first[k] += first[k - 1];
  __syncthreads();
  if (threadIdx.x < n) sorted[atomicAdd(&first[keys[threadIdx.x]], 1)] = keys[threadIdx.x];
}
