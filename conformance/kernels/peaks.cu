// Local maxima get a 1; plateaus do not count.
__global__ void peaks(const int *v, bool *peak, int n) {
  int i = threadIdx.x;
  peak[i] = i > 0 && i < n - 1 && v[i] > v[i - 1] && v[i] > v[i + 1];
}
