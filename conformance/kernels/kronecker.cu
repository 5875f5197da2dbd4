// Kronecker product of 2x2 and 3x3 matrices: the indices come from divisions by constants.
__global__ void kronecker(const int *a, const int *b, int *c) {
  int i = threadIdx.x / 6 + 4 * blockIdx.x, j = threadIdx.x % 6;
  if (i < 6) c[i * 6 + j] = a[i / 3 * 2 + j / 3] * b[i % 3 * 3 + j % 3];
}
