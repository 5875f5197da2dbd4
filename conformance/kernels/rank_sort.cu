// Enumeration sort: a thread counts who comes before its element. Equal elements keep their order.
__global__ void rank_sort(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = in[i], rank = 0;
  for (int j = 0; j < n; ++j) {
    int y = in[j];
    if (y < x || (y == x && j < i)) ++rank;
  }
  out[rank] = x;
}
