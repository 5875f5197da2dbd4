// A Fisher-Yates shuffle of a small deck by one thread; the deck of each block lies in shared memory.
__global__ void shuffle_cards(unsigned seed, int *decks, int cards) {
  __shared__ int deck[16];
  for (int i = threadIdx.x; i < cards; i += blockDim.x) deck[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned x = seed + blockIdx.x;
    for (int i = cards - 1; i > 0; --i) {
      x = x * 1664525u + 1013904223u;
      int j = __umulhi(x, i + 1);
      int card = deck[i];
      deck[i] = deck[j];
      deck[j] = card;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < cards; i += blockDim.x) decks[blockIdx.x * cards + i] = deck[i];
}
