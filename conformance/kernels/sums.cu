// Kadane's greatest sum of a stretch; ways to climb stairs; Pascal's triangle row by row.
__global__ void kadane(const int *lists, int length, int *best) {
  int here = 0, top = -2147483647 - 1;
  for (int i = 0; i < length; ++i) {
    int x = lists[threadIdx.x * length + i];
    here = max(here + x, x);
    top = max(top, here);
  }
  best[threadIdx.x] = top;
}

__global__ void pascal(int *row) {
  int i = threadIdx.x;
  int mine = i == 0;
  for (int n = 0; n < blockDim.x - 1; ++n) {
    row[i] = mine;
    __syncthreads();
    if (i > 0) mine += row[i - 1];
    __syncthreads();
  }
  row[i] = mine;
}

__global__ void edit_distance(const int *a, int na, const int *b, int nb, int *row, int *distance) {
  if (threadIdx.x != 0) return;
  for (int j = 0; j <= nb; ++j) row[j] = j;
  for (int i = 1; i <= na; ++i) {
    int corner = row[0];
    row[0] = i;
    for (int j = 1; j <= nb; ++j) {
      int above = row[j];
      row[j] = min(min(above, row[j - 1]) + 1, corner + (a[i - 1] != b[j - 1]));
      corner = above;
    }
  }
  *distance = row[nb];
}
