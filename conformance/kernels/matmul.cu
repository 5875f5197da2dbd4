// C = A * B for small square matrices, one element a thread.
#define N 5

__global__ void matmul(const int A[N * N], const int B[N * N], int C[N * N]) {
  int row = threadIdx.y;
  int col = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < N; k++) {
    sum += A[row * N + k] * B[k * N + col];
  }
  C[row * N + col] = sum;
}
