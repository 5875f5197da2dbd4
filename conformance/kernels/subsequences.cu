// Longest common subsequence by anti-diagonals in shared memory; longest increasing subsequence.
__global__ void lcs(const int *a, const int *b, int *length) {
  __shared__ int table[8][8];
  int i = threadIdx.x;
  for (int d = 0; d < 15; ++d) {
    int j = d - i;
    if (j >= 0 && j < 8) {
      int up = i > 0 ? table[i - 1][j] : 0, left = j > 0 ? table[i][j - 1] : 0;
      int corner = i > 0 && j > 0 ? table[i - 1][j - 1] : 0;
      table[i][j] = a[i] == b[j] ? corner + 1 : max(up, left);
    }
    __syncthreads();
  }
  if (i == 7) *length = table[7][7];
}

__global__ void lis(const int *v, int *best, int n) {
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x < i && v[threadIdx.x] < v[i]) atomicMax(&best[i], best[threadIdx.x] + 1);
    __syncthreads();
  }
}
