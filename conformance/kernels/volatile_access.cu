// volatile loads and stores happen, each one.
__global__ void through_memory(volatile int *v, int *out) {
  int t = threadIdx.x;
  v[t] = v[t] + 1;
  v[t] = v[t] * 2;
  out[t] = v[t];
}
