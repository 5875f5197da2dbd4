// Where am I? All built-in variables in one, two and three dimensions.
__global__ void flat_2d(int *out, int width) {
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  int offset = x + y * blockDim.x * gridDim.x;
  out[offset] = x * 100 + y + 0 * width;
}

__global__ void flat_3d(int *out) {
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[t] = threadIdx.x * 100 + threadIdx.y * 10 + threadIdx.z;
}

__global__ void grid_3d(int *out) {
  int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int t = b * blockDim.x + threadIdx.x;
  out[t] = (blockIdx.x << 16) + (blockIdx.y << 8) + blockIdx.z + threadIdx.x * 1000000;
}

__global__ void sizes(int *out) {
  if (threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z == 0) {
    out[0] = blockDim.x;
    out[1] = blockDim.y;
    out[2] = blockDim.z;
    out[3] = gridDim.x;
    out[4] = gridDim.y;
    out[5] = gridDim.z;
  }
  atomicAdd(&out[6], 1);
}

__global__ void grid_stride(const int *in, int *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) out[i] = in[i] * in[i] - i;
}

__global__ void reverse_blocks(const int *in, int *out) {
  int from = blockDim.x * blockIdx.x + threadIdx.x;
  int to = (gridDim.x - 1 - blockIdx.x) * blockDim.x + (blockDim.x - 1 - threadIdx.x);
  out[to] = in[from];
}

__global__ void first_thread_only(int *out) {
  const unsigned int gid = blockIdx.x * blockDim.x + threadIdx.x;
  if (gid == 0) *out = 42;
}
