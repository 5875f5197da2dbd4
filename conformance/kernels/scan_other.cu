// Running maximum, and a scan that starts anew at each head flag.
__global__ void running_max(const int *in, int *out, int n) {
  int best = in[0];
  for (int i = 0; i < n; i++) {
    best = max(best, in[i]);
    if (threadIdx.x == 0) out[i] = best;
  }
}

__global__ void scan_segments(const int *head, const int *in, int *out) {
  int i = threadIdx.x;
  int sum = in[i];
  for (int j = i; !head[j]; sum += in[--j]) {
  }
  out[i] = sum;
}
