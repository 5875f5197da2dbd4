// Ways to place n queens, the first one at the thread's column: backtracking on bit masks with a
// stack in shared memory.
__global__ void queens(int n, int *ways) {
  __shared__ unsigned stack[4][6];
  const unsigned all = (1u << n) - 1;
  const int me = threadIdx.x;
  int row = 0, found = 0;
  unsigned columns = 1u << me, left = columns << 1, right = columns >> 1;
  unsigned open = all & ~(columns | left | right);
  for (;;) {
    if (open == 0) {
      if (row == 0) break;
      --row;
      // Back to the row above and what was still open there.
      unsigned packed = stack[me][row];
      open = packed & 0xff;
      columns = packed >> 8 & 0xff;
      left = packed >> 16 & 0xff;
      right = packed >> 24;
      continue;
    }
    unsigned bit = open & -open;
    open ^= bit;
    if ((columns | bit) == all) {
      ++found;
      continue;
    }
    stack[me][row++] = open | columns << 8 | left << 16 | right << 24;
    columns |= bit;
    left = (left | bit) << 1 & all;
    right = (right | bit) >> 1;
    open = all & ~(columns | left | right);
  }
  ways[me] = found;
}
