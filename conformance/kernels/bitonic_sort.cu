// Bitonic sort of one block's elements in shared memory.
template <int size>
__global__ void bitonic_sort(int *v) {
  __shared__ int s[size];
  const unsigned t = threadIdx.x;
  s[t] = v[t];
  for (unsigned k = 2; k <= size; k *= 2) {
    for (unsigned j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      const unsigned partner = t ^ j;
      if (partner > t) {
        const int a = s[t], b = s[partner];
        if ((a > b) == ((t & k) == 0)) {
          s[t] = b;
          s[partner] = a;
        }
      }
    }
  }
  __syncthreads();
  v[t] = s[t];
}
template __global__ void bitonic_sort<16>(int *);
