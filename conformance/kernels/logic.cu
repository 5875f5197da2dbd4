// All two-input logic functions that have a name, and a bitwise multiplexer.
__global__ void logic(const int *a, const int *b, int *out) {
  int i = threadIdx.x, x = a[i], y = b[i];
  int *o = out + 7 * i;
  o[0] = x & y;
  o[1] = x | y;
  o[2] = x ^ y;
  o[3] = ~x;
  o[4] = x & ~y;
  o[5] = ~(x | y);
  o[6] = ~(x ^ y);
}

__global__ void multiplex(const unsigned *mask, const unsigned *a, const unsigned *b, unsigned *out) {
  int i = threadIdx.x;
  out[i] = (a[i] & mask[i]) | (b[i] & ~mask[i]);
}
