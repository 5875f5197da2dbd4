// Vector times matrix: threads read neighbouring columns (coalesced, on a real GPU).
__global__ void vecmat(const int *x, const int *m, int *y, int rows, int cols) {
  const int c = threadIdx.x;
  int sum = 0;
  const int *p = m + c;
  for (int r = 0; r < rows; ++r, p += cols) sum += x[r] * *p;
  if (c < cols) y[c] = sum;
}
