// nvcc --ptx -arch=sm_75 makes nvcc_tiled.ptx of this file.
// native _Z5tiledPKiS0_Pii = &tiled
__global__ void tiled(const int *a, const int *b, int *c, int n) {
  __shared__ int s[3][3], t[3][3];
  int x = threadIdx.x, y = threadIdx.y, sum = 0;
  for (int k = 0; k < n; k += 3) {
    s[y][x] = a[(blockIdx.y * 3 + y) * n + k + x];
    t[y][x] = b[(k + y) * n + blockIdx.x * 3 + x];
    __syncthreads();
    for (int i = 0; i < 3; ++i) sum += s[y][i] * t[i][x];
    __syncthreads();
  }
  c[(blockIdx.y * 3 + y) * n + blockIdx.x * 3 + x] = sum;
}
