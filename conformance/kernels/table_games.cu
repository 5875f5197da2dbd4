// Rock, paper, scissors; bulls and cows; how many squares a knight attacks.
__global__ void rock_paper_scissors(const int *a, const int *b, int *score) {
  int d = (a[threadIdx.x] - b[threadIdx.x] + 3) % 3;
  atomicAdd(&score[d], 1);
}

__global__ void bulls_and_cows(const int *secret, const int *guesses, int *bulls, int *cows) {
  const int *g = guesses + 4 * threadIdx.x;
  int exact = 0, all = 0;
  for (int i = 0; i < 4; ++i) {
    exact += secret[i] == g[i];
    for (int j = 0; j < 4; ++j) all += secret[i] == g[j];
  }
  bulls[threadIdx.x] = exact;
  cows[threadIdx.x] = all - exact;
}

__global__ void knight(int *attacks) {
  const int x = threadIdx.x, y = threadIdx.y + blockIdx.x * blockDim.y;
  int n = 0;
  for (int dx = -2; dx <= 2; ++dx)
    for (int dy = -2; dy <= 2; ++dy) {
      if (dx * dx + dy * dy != 5) continue;
      if ((unsigned)(x + dx) < 8 && (unsigned)(y + dy) < 8) ++n;
    }
  attacks[y * 8 + x] = n;
}
