// Atomics on shared memory: a block's statistics.
__global__ void shared_statistics(const int *v, int *out) {
  __shared__ int sum, least, most, seen;
  __shared__ unsigned any, ticket;
  if (threadIdx.x == 0) {
    sum = 0;
    least = 2147483647;
    most = -2147483647 - 1;
    seen = -1;
    any = 0;
    ticket = 0;
  }
  __syncthreads();
  int x = v[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&sum, x);
  atomicMin(&least, x);
  atomicMax(&most, x);
  atomicAnd(&seen, x);
  atomicOr(&any, (unsigned)x);
  atomicInc(&ticket, 6);
  __syncthreads();
  if (threadIdx.x == 0) {
    int *o = out + 6 * blockIdx.x;
    o[0] = sum;
    o[1] = least;
    o[2] = most;
    o[3] = seen;
    o[4] = (int)any;
    o[5] = (int)ticket;
  }
}

__global__ void shared_exchange(const unsigned *v, unsigned *out) {
  __shared__ unsigned box;
  if (threadIdx.x == 0) box = 0;
  __syncthreads();
  // Whoever comes, the values put in and taken out are the same set.
  out[threadIdx.x] = atomicExch(&box, v[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockDim.x] = box;
}
