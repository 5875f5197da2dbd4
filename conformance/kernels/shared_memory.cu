// Shared memory: static, dynamic, several arrays, structs, scalars.
__global__ void staticReverse(int *d, int n) {
  __shared__ int s[32];
  int t = threadIdx.x;
  int tr = n - t - 1;
  s[t] = d[t];
  __syncthreads();
  d[t] = s[tr];
}

__global__ void dynamicReverse(int *d, int n) {
  extern __shared__ int buffer[];
  int t = threadIdx.x;
  int tr = n - t - 1;
  buffer[t] = d[t];
  __syncthreads();
  d[t] = buffer[tr];
}

__global__ void two_arrays(const int *in, int *out) {
  extern __shared__ int buffer[];
  int *evens = buffer, *odds = buffer + blockDim.x / 2;
  int t = threadIdx.x;
  if (t % 2 == 0)
    evens[t / 2] = in[t];
  else
    odds[t / 2] = in[t];
  __syncthreads();
  out[t] = buffer[t];
}

struct Pair { int low, high; };

__global__ void shared_struct(const int *in, int *out) {
  __shared__ Pair pairs[8];
  __shared__ int total;
  int t = threadIdx.x;
  if (t == 0) total = 0;
  if (t < 8) pairs[t] = {min(in[2 * t], in[2 * t + 1]), max(in[2 * t], in[2 * t + 1])};
  __syncthreads();
  atomicAdd(&total, pairs[t / 2].high);
  __syncthreads();
  out[t] = total - pairs[t / 2].low;
}

__global__ void broadcast(const int *in, int *out) {
  __shared__ int chosen;
  if (threadIdx.x == in[0]) chosen = threadIdx.x * 11 + blockIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = chosen;
}

__global__ void shared_2d(const int *in, int *out) {
  __shared__ int tile[3][7];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 7 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 7 + threadIdx.x] = tile[2 - threadIdx.y][(threadIdx.x + threadIdx.y) % 7];
}

__global__ void shared_bytes_table(const unsigned char *in, int *out) {
  __shared__ unsigned char s[24];
  s[threadIdx.x] = in[threadIdx.x] ^ 0x55;
  __syncthreads();
  out[threadIdx.x] = s[23 - threadIdx.x];
}
