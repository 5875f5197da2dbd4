// One elimination step without division (Bareiss): row r loses its entry in the pivot's column.
__global__ void eliminate(int *m, int n, int pivot) {
  int c = threadIdx.x, r = threadIdx.y;
  int above = m[pivot * n + c], left = m[r * n + pivot], corner = m[pivot * n + pivot], own = m[r * n + c];
  __syncthreads();
  if (r > pivot) m[r * n + c] = own * corner - left * above;
}
