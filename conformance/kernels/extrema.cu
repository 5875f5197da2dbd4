// Minimum, maximum and where the maximum is, in one block.
__global__ void minmax(const int *v, int n, int *lowest, int *highest) {
  int i = threadIdx.x;
  if (i < n) {
    atomicMin(lowest, v[i]);
    atomicMax(highest, v[i]);
  }
}

__global__ void argmax(const int *v, int n, int *where) {
  __shared__ int value[32];
  __shared__ int index[32];
  int t = threadIdx.x;
  value[t] = t < n ? v[t] : (int)0x80000000;
  index[t] = t;
  for (int half = 16; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) {
      bool better = value[t + half] > value[t] || (value[t + half] == value[t] && index[t + half] < index[t]);
      if (better) {
        value[t] = value[t + half];
        index[t] = index[t + half];
      }
    }
  }
  if (t == 0) *where = index[0];
}
