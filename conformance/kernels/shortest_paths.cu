// All shortest paths by Floyd and Warshall; one source by Bellman and Ford.
__global__ void floyd_warshall(int *d, int n) {
  int i = threadIdx.y, j = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    int through = d[i * n + k] + d[k * n + j];
    __syncthreads();
    if (through < d[i * n + j]) d[i * n + j] = through;
    __syncthreads();
  }
}

__global__ void bellman_ford(const int3 *edges, int m, int *distance, int rounds) {
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x < m) {
      int3 e = edges[threadIdx.x];
      atomicMin(&distance[e.y], distance[e.x] + e.z);
    }
    __syncthreads();
  }
}
