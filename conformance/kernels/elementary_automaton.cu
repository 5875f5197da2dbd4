// Elementary cellular automata: one cell a thread for several generations, and 32 cells a word.
__global__ void rule_cells(const int *seed, int *out, int rule, int generations) {
  __shared__ int cell[32];
  int i = threadIdx.x, n = blockDim.x;
  cell[i] = seed[i];
  __syncthreads();
  for (int g = 0; g < generations; ++g) {
    int left = cell[i == 0 ? n - 1 : i - 1], right = cell[i == n - 1 ? 0 : i + 1];
    int next = rule >> (4 * left + 2 * cell[i] + right) & 1;
    __syncthreads();
    cell[i] = next;
    __syncthreads();
  }
  out[i] = cell[i];
}

__global__ void rule30_words(unsigned *rows, int generations) {
  unsigned x = rows[threadIdx.x];
  while (generations-- > 0) {
    unsigned left = x >> 1 | x << 31, right = x << 1 | x >> 31;
    x = left ^ (x | right);
  }
  rows[threadIdx.x] = x;
}
