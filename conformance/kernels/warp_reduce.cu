// Sums by shuffles inside warps of four, then across warps by one atomic each.
__inline__ __device__ int warpReduceSum(int val) {
  for (int offset = 2; offset > 0; offset /= 2) val += __shfl_down_sync(0xffffffff, val, offset, 4);
  return val;
}

__global__ void warp_sum(const int *in, int *total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  v = warpReduceSum(v);
  if (threadIdx.x % 4 == 0) atomicAdd(total, v);
}

__global__ void warp_max_everywhere(const int *in, int *out) {
  int v = in[threadIdx.x];
  v = max(v, __shfl_xor_sync(0xffffffffu, v, 1, 4));
  v = max(v, __shfl_xor_sync(0xffffffffu, v, 2, 4));
  out[threadIdx.x] = v;
}
