// The same for 32-bit numbers, with the parity loop written out.
__device__ void order(int &a, int &b) {
  if (a > b) {
    int t = a;
    a = b;
    b = t;
  }
}
__global__ void neighbour_sort(int *v, int n) {
  int t = threadIdx.x;
  for (int pass = 0; pass < n; pass += 2) {
    if (2 * t + 1 < n) order(v[2 * t], v[2 * t + 1]);
    __syncthreads();
    if (2 * t + 2 < n) order(v[2 * t + 1], v[2 * t + 2]);
    __syncthreads();
  }
}
