// Bins of equal width between two bounds; what lies outside goes to the end bins.
__global__ void equal_bins(const int *v, int *bins, int low, int width, int count) {
  int bin = (v[threadIdx.x] - low) / width;
  if (v[threadIdx.x] < low) bin = 0;
  if (bin >= count) bin = count - 1;
  atomicAdd(&bins[bin], 1);
}
