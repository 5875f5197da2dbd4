// Numbers of a minesweeper board: 9 stands for a mine.
__global__ void minesweeper(const int *mine, int *shown) {
  const int w = blockDim.x, h = blockDim.y, x = threadIdx.x, y = threadIdx.y;
  int count = 0;
  for (int v = max(y - 1, 0); v <= min(y + 1, h - 1); ++v)
    for (int u = max(x - 1, 0); u <= min(x + 1, w - 1); ++u) count += mine[v * w + u];
  shown[y * w + x] = mine[y * w + x] ? 9 : count;
}
