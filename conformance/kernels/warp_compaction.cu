// Compaction inside warps: the ballot says how many lanes before me keep theirs, and one atomic a
// warp reserves the space.
__global__ void warp_compact(const int *in, int *out, int *count) {
  int x = in[blockIdx.x * blockDim.x + threadIdx.x];
  int lane = threadIdx.x & 3;
  unsigned kept = __ballot_sync(0xffffffffu, x % 2 != 0);
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(kept));
  base = __shfl_sync(0xffffffffu, base, 0, 4);
  if (kept >> lane & 1) out[base + __popc(kept & ((1u << lane) - 1))] = x;
}
