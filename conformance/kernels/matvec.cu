// Matrix times vector, one row a thread, row-major.
__global__ void matvec(const int *__restrict__ A, const int *__restrict__ x, int *__restrict__ y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  int acc = 0;
  for (int c = 0; c < cols; ++c) acc += A[r * cols + c] * x[c];
  y[r] = acc;
}
