// Building linked lists with atomicExch: a thread pushes its node onto the list of its bucket. The
// order inside a list is anyone's; its length and sum are not.
__global__ void bucket_lists(const int *keys, int *length, int *sum, int buckets) {
  __shared__ int head[8], next[20];
  int node = threadIdx.x;
  if (node < buckets) head[node] = -1;
  __syncthreads();
  next[node] = atomicExch(&head[keys[node] % buckets], node);
  __syncthreads();
  if (node >= buckets) return;
  int n = 0, s = 0;
  for (int at = head[node]; at >= 0; at = next[at]) {
    ++n;
    s += keys[at];
  }
  length[node] = n;
  sum[node] = s;
}

__global__ void hash_insert(const unsigned *keys, unsigned *table, unsigned mask) {
  unsigned key = keys[threadIdx.x], slot = key * 2654435769u >> 28;
  while (true) {
    unsigned old = atomicCAS(&table[slot & mask], 0u, key);
    if (old == 0 || old == key) return;
    ++slot;
  }
}
