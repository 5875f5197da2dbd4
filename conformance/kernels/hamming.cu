// Hamming distance between bit strings, and the nearest codeword.
__global__ void hamming(const unsigned *a, const unsigned *b, int *distance) {
  distance[threadIdx.x] = __popc(a[threadIdx.x] ^ b[threadIdx.x]);
}

__global__ void nearest(const unsigned *words, int n, const unsigned *query, int *best) {
  int at = 0, least = 33;
  for (int i = 0; i < n; ++i) {
    int d = __popc(words[i] ^ query[threadIdx.x]);
    if (d < least) least = d, at = i;
  }
  best[threadIdx.x] = at;
}
