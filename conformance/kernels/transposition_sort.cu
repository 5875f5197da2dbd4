// Odd-even transposition sort: n rounds of compare and swap between neighbours.
__global__ void odd_even_sort(short *v, int n) {
  int t = threadIdx.x;
  for (int round = 0; round < n; ++round) {
    int i = 2 * t + (round & 1);
    if (i + 1 < n && v[i] > v[i + 1]) {
      short s = v[i];
      v[i] = v[i + 1];
      v[i + 1] = s;
    }
    __syncthreads();
  }
}
