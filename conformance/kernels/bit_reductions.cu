// And, or and exclusive or of all elements: one atomic of each kind a thread.
__global__ void bit_reduce(const unsigned *v, unsigned *all, unsigned *any, unsigned *odd) {
  unsigned x = v[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAnd(all, x);
  atomicOr(any, x);
  atomicXor(odd, x);
}
