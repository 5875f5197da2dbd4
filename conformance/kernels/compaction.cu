// Stream compaction: by a scan (keeps the order) and by an atomic counter (does not).
__global__ void compact_ordered(const int *in, int *out, int *count, int n) {
  __shared__ int keep[32];
  int i = threadIdx.x;
  keep[i] = i < n && in[i] > 0;
  __syncthreads();
  int before = 0;
  for (int j = 0; j < i; ++j) before += keep[j];
  if (keep[i]) out[before] = in[i];
  if (i == blockDim.x - 1) *count = before + keep[i];
}

__global__ void compact_any_order(const int *in, int *out, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (in[i] & 3) == 0) out[atomicAdd(count, 1)] = in[i];
}

__global__ void unique(const int *in, int *out, int *count, int n) {
  if (threadIdx.x != 0) return;
  int m = 0;
  for (int i = 0; i < n; ++i)
    if (m == 0 || out[m - 1] != in[i]) out[m++] = in[i];
  *count = m;
}
