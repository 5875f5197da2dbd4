// Where does a pattern occur in a text? One thread a place.
__global__ void occurrences(const char *text, int n, const char *pattern, int m, int *hits) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at > n - m) return;
  for (int k = 0; k < m; ++k)
    if (text[at + k] != pattern[k]) return;
  hits[atomicAdd(hits, 1) + 1] = at;
}
