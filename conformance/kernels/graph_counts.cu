// Degrees, triangles and reachability of small graphs given as rows of bits.
__global__ void degrees(const int *ends, int m, int *degree) {
  int e = threadIdx.x;
  if (e < 2 * m) atomicAdd(&degree[ends[e]], 1);
}

__global__ void triangles(const unsigned *row, int *count) {
  int i = threadIdx.x, j = threadIdx.y;
  if (i < j && row[i] >> j & 1) atomicAdd(count, __popc(row[i] & row[j] & -1 << (j + 1)));
}

__global__ void closure(unsigned *row, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    unsigned through = row[k];
    __syncthreads();
    if (row[i] >> k & 1) row[i] |= through;
    __syncthreads();
  }
}
