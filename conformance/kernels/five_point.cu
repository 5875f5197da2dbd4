// Discrete Laplacian on a 2-D grid; the rim is copied.
__global__ void laplacian(const int *u, int *v, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int i = y * w + x;
  if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
    v[i] = u[i];
    return;
  }
  v[i] = u[i - 1] + u[i + 1] + u[i - w] + u[i + w] - 4 * u[i];
}
