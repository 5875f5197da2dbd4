// Runs into a trap.
__global__ void positive_only(const int *v) {
  if (v[threadIdx.x] < 0) __trap();
}
