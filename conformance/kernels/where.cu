// Selection by a mask, as numpy.where.
__global__ void where(const int *mask, const int *yes, const int *no, int *out, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  out[i] = mask[i] ? yes[i] : no[i];
}
