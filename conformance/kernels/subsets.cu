// The k-th subset mask of a given size in Gosper's order.
__global__ void gosper(const int *steps, unsigned *masks, unsigned start) {
  unsigned x = start;
  for (int i = steps[threadIdx.x]; i > 0; --i) {
    unsigned low = x & -x, up = x + low;
    x = up | (x ^ up) >> 2 >> (31 - __clz(low));
  }
  masks[threadIdx.x] = x;
}
