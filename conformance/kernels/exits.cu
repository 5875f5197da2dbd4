// Leaving early, with and without others still to meet at barriers.
__global__ void early_exit(const int *v, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (v[i] < 0) {
    out[i] = -1;
    return;
  }
  int r = v[i] * v[i];
  if (r > 5000) return;
  out[i] = r;
}

// Threads that have left do not count at a barrier.
__global__ void barrier_after_exits(const int *v, int *out, int n) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t >= n) return;
  s[t] = v[t];
  __syncthreads();
  out[t] = s[n - 1 - t];
}

__global__ void barrier_in_uniform_if(int *v, int flag) {
  __shared__ int s[16];
  int t = threadIdx.x;
  if (flag) {
    s[t] = v[t];
    __syncthreads();
    v[t] = s[(t + 1) % 16];
  } else {
    v[t] = -v[t];
  }
}

__global__ void leave_loop_at_barrier(int *v, int rounds) {
  int t = threadIdx.x;
  for (int r = 0;; ++r) {
    int x = v[(t + 1) % blockDim.x];
    __syncthreads();
    if (r == rounds) break;
    v[t] = x + r;
    __syncthreads();
  }
}
