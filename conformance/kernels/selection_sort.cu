// Selection sort by one thread, with the classic swap.
__global__ void selection_sort(int *v, int n) {
  if (blockIdx.x * blockDim.x + threadIdx.x > 0) return;
  for (int i = 0; i < n - 1; ++i) {
    int least = i;
    for (int j = i + 1; j < n; ++j)
      if (v[j] < v[least]) least = j;
    int t = v[i];
    v[i] = v[least];
    v[least] = t;
  }
}
