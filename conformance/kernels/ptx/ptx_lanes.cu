// What ptx_lanes.ptx computes.
__global__ void lanes(const int *in, int4 *out) {
  int x = in[threadIdx.x], lane = threadIdx.x % 4;
  int next = __shfl_down_sync(0xffffffffu, x, 1, 4);
  int mirror = __shfl_xor_sync(0xffffffffu, x, 3, 4);
  bool same = __uni_sync(0xffffffffu, x > 0);
  unsigned ballot = __ballot_sync(0xffffffffu, x > 0);
  out[threadIdx.x] = make_int4(lane == 3 ? -1 : next, mirror, (int)(ballot | same * 16), lane);
}
