// Keys and values travel together: a bubble pass by pairs, repeated until no thread swapped.
__global__ void sort_by_key(int *key, int *value, int n) {
  __shared__ int swapped;
  int t = threadIdx.x;
  do {
    __syncthreads();
    if (t == 0) swapped = 0;
    __syncthreads();
    for (int parity = 0; parity < 2; ++parity) {
      int i = 2 * t + parity;
      if (i + 1 < n && key[i] > key[i + 1]) {
        int k = key[i], v = value[i];
        key[i] = key[i + 1], value[i] = value[i + 1];
        key[i + 1] = k, value[i + 1] = v;
        swapped = 1;
      }
      __syncthreads();
    }
  } while (swapped);
}
