// What ptx_atomics.ptx computes.
__global__ void all_atomics(const unsigned *in, unsigned *out) {
  __shared__ unsigned count, any;
  unsigned x = in[threadIdx.x];
  if (threadIdx.x == 0) count = any = 0;
  __syncthreads();
  atomicAdd(&out[0], x);
  atomicMax((int *)&out[1], (int)x);
  atomicMin(&out[2], x);
  atomicXor(&out[3], x);
  atomicAdd(&count, 1u);
  atomicOr(&any, x);
  atomicInc(&out[4], 4);
  atomicAnd(&out[5], x);
  __syncthreads();
  if (threadIdx.x != 0) return;
  out[6] = count;
  out[7] = any;
}
