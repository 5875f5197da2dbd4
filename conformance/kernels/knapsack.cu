// 0/1 knapsack: one weight limit a thread, items one after another, two rows in turn.
__global__ void knapsack(const int *weight, const int *value, int items, int *best) {
  __shared__ int row[2][24];
  int w = threadIdx.x;
  row[0][w] = 0;
  for (int i = 0; i < items; ++i) {
    __syncthreads();
    const int *old = row[i & 1];
    int b = old[w];
    if (weight[i] <= w) b = max(b, old[w - weight[i]] + value[i]);
    row[(i + 1) & 1][w] = b;
  }
  best[w] = row[items & 1][w];
}

__global__ void coin_change(const int *coins, int kinds, int *ways, int amount) {
  if (threadIdx.x == 0) {
    ways[0] = 1;
    for (int k = 0; k < kinds; k++)
      for (int a = coins[k]; a <= amount; a++) ways[a] += ways[a - coins[k]];
  }
}
