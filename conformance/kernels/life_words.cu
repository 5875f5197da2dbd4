// The same on 32-bit words: whole rows at a time, with bit-sliced adders. Row r is word r.
__global__ void life_rows(const unsigned *old, unsigned *next, int h) {
  int y = threadIdx.x;
  unsigned a = old[(y + h - 1) % h], b = old[y], c = old[(y + 1) % h];
  unsigned n1 = 0, n2 = 0, n4 = 0;  // bits of the neighbour count; n4 sticks
  const unsigned all[8] = {a, a << 1 | a >> 31, a >> 1 | a << 31, b << 1 | b >> 31, b >> 1 | b << 31,
                           c, c << 1 | c >> 31, c >> 1 | c << 31};
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    unsigned carry = n1 & all[i];
    n1 ^= all[i];
    n4 |= n2 & carry;
    n2 ^= carry;
  }
  next[y] = ~n4 & n2 & (n1 | b);
}
