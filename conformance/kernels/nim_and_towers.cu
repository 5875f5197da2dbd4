// Nim: the winning move. Towers of Hanoi: which disc moves at step k, and from where.
__global__ void nim(const int *heaps, int per_game, int *heap, int *take) {
  const int *h = heaps + threadIdx.x * per_game;
  int sum = 0;
  for (int i = 0; i < per_game; ++i) sum ^= h[i];
  heap[threadIdx.x] = -1;
  take[threadIdx.x] = 0;
  if (sum == 0) return;
  for (int i = 0; i < per_game; ++i) {
    int rest = h[i] ^ sum;
    if (rest < h[i]) {
      heap[threadIdx.x] = i;
      take[threadIdx.x] = h[i] - rest;
      break;
    }
  }
}

__global__ void hanoi(int *disc, int *from, int *to) {
  int k = threadIdx.x + 1;
  disc[threadIdx.x] = __ffs(k);
  from[threadIdx.x] = (k & (k - 1)) % 3;
  to[threadIdx.x] = ((k | (k - 1)) + 1) % 3;
}
