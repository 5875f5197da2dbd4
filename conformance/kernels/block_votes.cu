// Barriers that count: what all threads of a thread block say, in one call.
__global__ void count_in_block(const int *v, int limit, int *below) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int count = __syncthreads_count(v[i] < limit);
  if (threadIdx.x == 0) below[blockIdx.x] = count;
}

__global__ void all_and_any(const int *v, int *all, int *any) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int every = __syncthreads_and(v[i] > 0), some = __syncthreads_or(v[i] < 0);
  if (threadIdx.x == 0) {
    all[blockIdx.x] = every;
    any[blockIdx.x] = some;
  }
}

// Bubble sort that ends when no thread has changed anything.
__global__ void sort_until_still(int *v, int n, int *rounds) {
  int i = threadIdx.x, r = 0;
  bool moved;
  do {
    bool changed = false;
    for (int start = 0; start < 2; ++start) {
      int a = 2 * i + start;
      if (a + 1 < n && v[a] > v[a + 1]) {
        int t = v[a];
        v[a] = v[a + 1];
        v[a + 1] = t;
        changed = true;
      }
      __syncthreads();
    }
    moved = __syncthreads_or(changed);
    ++r;
  } while (moved);
  if (i == 0) *rounds = r;
}
