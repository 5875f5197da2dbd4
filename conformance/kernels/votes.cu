// Votes of a warp.
__global__ void votes(const int *v, int *out) {
  int t = threadIdx.x, x = v[t];
  int *o = out + 3 * t;
  o[0] = __all_sync(0xffffffffu, x > 0);
  o[1] = __any_sync(0xffffffffu, x > 90);
  o[2] = (int)(__ballot_sync(0xffffffffu, x & 1) & 15u);
}

__global__ void uniform_vote(const int *v, int *out) { out[threadIdx.x] = __uni_sync(0xffffffffu, v[threadIdx.x] < 0); }

__global__ void agree(const int *v, int *out) {
  int x = v[threadIdx.x], first = __shfl_sync(0xffffffffu, x, 0, 4);
  out[threadIdx.x] = __all_sync(0xffffffffu, x == first) ? first : -1;
}

// Lanes vote in two parties, then all together.
__global__ void parties(const int *v, unsigned *out) {
  int t = threadIdx.x, x = v[t];
  unsigned mine;
  if (t % 4 < 2)
    mine = __ballot_sync(0x33333333u, x > 0);
  else
    mine = __ballot_sync(0xccccccccu, x < 0) * 16;
  unsigned all = __ballot_sync(0xffffffffu, x != 0);
  out[t] = (mine & 0xff) << 8 | (all & 15);
}
