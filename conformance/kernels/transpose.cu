// Transposes, straight and through a padded shared tile.
__global__ void transpose_naive(const int *in, int *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

__global__ void transpose_shared(const int *in, int *out) {
  __shared__ int tile[4][4 + 1];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 4 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 4 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
