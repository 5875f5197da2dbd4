// Shuffles of every kind and width.
__global__ void shuffle_index(const int *v, const int *from, int *out) {
  int t = threadIdx.x;
  out[t] = __shfl_sync(0xffffffffu, v[t], from[t], 4);
}

__global__ void shuffle_up_down(const int *v, int4 *out) {
  int x = v[threadIdx.x];
  int4 r;
  r.x = __shfl_up_sync(0xffffffffu, x, 1, 4);
  r.y = __shfl_up_sync(0xffffffffu, x, 2, 4);
  r.z = __shfl_down_sync(0xffffffffu, x, 1, 4);
  r.w = __shfl_down_sync(0xffffffffu, x, 3, 4);
  out[threadIdx.x] = r;
}

__global__ void shuffle_xor(const int *v, int *out) {
  int t = threadIdx.x, x = v[t];
  out[3 * t] = __shfl_xor_sync(0xffffffffu, x, 1, 4);
  out[3 * t + 1] = __shfl_xor_sync(0xffffffffu, x, 2, 4);
  out[3 * t + 2] = __shfl_xor_sync(0xffffffffu, x, 3, 4);
}

__global__ void shuffle_width2(const int *v, int *out) {
  int t = threadIdx.x, x = v[t];
  out[4 * t] = __shfl_sync(0xffffffffu, x, 1, 2);
  out[4 * t + 1] = __shfl_up_sync(0xffffffffu, x, 1, 2);
  out[4 * t + 2] = __shfl_down_sync(0xffffffffu, x, 1, 2);
  out[4 * t + 3] = __shfl_xor_sync(0xffffffffu, x, 1, 2);
}

__global__ void shuffle_width1(const int *v, int *out) {
  int t = threadIdx.x;
  out[2 * t] = __shfl_sync(0xffffffffu, v[t], 3, 1);
  out[2 * t + 1] = __shfl_down_sync(0xffffffffu, v[t], 1, 1);
}

__global__ void shuffle_default_width(const int *v, int *out) {
  int t = threadIdx.x, x = v[t];
  x += __shfl_xor_sync(0xffffffff, x, 1);
  x += __shfl_xor_sync(0xffffffff, x, 2);
  out[t] = x;
}

__global__ void rotate_lanes(int *v, int by) {
  int t = threadIdx.x;
  v[t] = __shfl_sync(0xffffffffu, v[t], t + by, 4);
}
