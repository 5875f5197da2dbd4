// Collatz: steps to reach 1 and the greatest number on the way.
__global__ void collatz(const unsigned *start, int *steps, unsigned *peak) {
  unsigned x = start[threadIdx.x], top = x;
  int n = 0;
  while (x != 1) {
    x = x & 1 ? 3 * x + 1 : x / 2;
    top = max(top, x);
    ++n;
  }
  steps[threadIdx.x] = n;
  peak[threadIdx.x] = top;
}
