// The rest of the atomics on shared memory.
__global__ void shared_others(const unsigned *v, unsigned *out) {
  __shared__ unsigned odd, left, turn, claimed[4];
  if (threadIdx.x == 0) odd = 0, left = 1000000, turn = 2;
  if (threadIdx.x < 4) claimed[threadIdx.x] = 0;
  __syncthreads();
  unsigned x = v[threadIdx.x];
  atomicXor(&odd, x);
  atomicSub(&left, x & 0xff);
  atomicDec(&turn, 6);
  if (atomicCAS(&claimed[x & 3], 0u, 1u) == 0) atomicAdd(out, 1u);
  __syncthreads();
  if (threadIdx.x == 0) {
    out[1] = odd;
    out[2] = left;
    out[3] = turn;
  }
}
