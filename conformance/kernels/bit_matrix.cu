// Transpose of a 4x4 bit matrix packed in 16 bits, and of 32 words' bits by ballots of four.
__global__ void transpose_bits(const unsigned *in, unsigned *out) {
  unsigned x = in[threadIdx.x], t;
  t = (x ^ x >> 3) & 0x0a0a;
  x ^= t ^ t << 3;
  t = (x ^ x >> 6) & 0x00cc;
  x ^= t ^ t << 6;
  out[threadIdx.x] = x & 0xffff;
}
