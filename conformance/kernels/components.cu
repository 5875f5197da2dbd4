// Connected components: labels flow along the edges until nothing changes; and union-find with
// path halving by one thread.
__global__ void propagate_labels(const int2 *edges, int m, int *label) {
  __shared__ int changed;
  do {
    __syncthreads();
    changed = 0;
    __syncthreads();
    if (threadIdx.x < m) {
      int2 e = edges[threadIdx.x];
      int a = atomicMin(&label[e.x], label[e.y]), b = atomicMin(&label[e.y], label[e.x]);
      if (a != b) changed = 1;
    }
    __syncthreads();
  } while (changed);
}

__device__ int find_root(int *parent, int v) {
  while (parent[v] != v) {
    parent[v] = parent[parent[v]];
    v = parent[v];
  }
  return v;
}

__global__ void union_find(const int *a, const int *b, int m, int *parent, int *components) {
  if (threadIdx.x > 0) return;
  int left = *components;
  for (int i = 0; i < m; ++i) {
    int x = find_root(parent, a[i]), y = find_root(parent, b[i]);
    if (x == y) continue;
    parent[max(x, y)] = min(x, y);
    --left;
  }
  *components = left;
}
