// Base 36 with letters, most significant digit first, a row of eight a thread.
__global__ void to_base36(const unsigned *n, int *digits) {
  unsigned x = n[threadIdx.x];
  for (int i = 7; i >= 0; --i) {
    int d = x % 36;
    digits[threadIdx.x * 8 + i] = d < 10 ? '0' + d : 'a' + d - 10;
    x /= 36;
  }
}
