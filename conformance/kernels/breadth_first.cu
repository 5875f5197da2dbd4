// Breadth-first search, level by level, on an adjacency list in CSR form and on bit masks.
__global__ void bfs_levels(const int *first, const int *next, int *level, int n) {
  int v = threadIdx.x;
  for (int d = 0; d < n; ++d) {
    if (v < n && level[v] == d)
      for (int e = first[v]; e < first[v + 1]; ++e) atomicMin(&level[next[e]], d + 1);
    __syncthreads();
  }
}

__global__ void bfs_masks(const unsigned *neighbours, int n, int *rounds) {
  unsigned seen = 1u << threadIdx.x;
  int k = 0;
  for (unsigned frontier = seen; frontier != 0; ++k) {
    unsigned reached = 0;
    for (int v = 0; v < n; ++v)
      if (frontier >> v & 1) reached |= neighbours[v];
    frontier = reached & ~seen;
    seen |= reached;
  }
  rounds[threadIdx.x] = k - 1;
}
