// Rounds in which the lanes of a warp exchange something, while other things part them.

// Each lane takes over what the lane before it had, once a round; lane 0 takes in the round.
__global__ void pass_along(int *v, int rounds) {
  __shared__ int slot[9];
  int t = threadIdx.x;
  int mine = v[t];
  for (int r = 0; r < rounds; ++r) {
    slot[t + 1] = mine;
    __syncwarp();
    mine = t % 4 == 0 ? r : slot[t];
    __syncwarp();
  }
  v[t] = mine;
}

// All lanes toggle one word in turns, and all of them vote in each round.
__global__ void vote_between_turns(const int *v, unsigned *parity, unsigned *votes, int rounds) {
  int t = threadIdx.x;
  unsigned seen = 0;
  for (int r = 0; r < rounds; ++r) {
    seen = seen * 16 + __ballot_sync(0xfu, v[t] > r);
    atomicXor(parity, 1u << r);
  }
  votes[t] = seen;
}

// Lanes whose number is even go back at once.
__global__ void sum_with_continue(const int *v, int *out, int rounds) {
  int t = threadIdx.x;
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    sum += __shfl_xor_sync(0xfu, v[t] + r, 1, 4);
    if (v[t] % 2 == 0) continue;
    atomicXor(&out[t], sum);
    for (int i = 0; i < v[t] % 3; ++i) sum = sum * 3 + i;
  }
  out[t] += sum;
}
