// Inclusive scan by shuffles in each warp, then the warps' totals are added.
__global__ void scan_warp(int *v) {
  __shared__ int totals[8];
  int t = threadIdx.x, lane = t & 3, warp = t >> 2;
  int x = v[t];
  for (int d = 1; d < 4; d *= 2) {
    int y = __shfl_up_sync(0xffffffffu, x, d, 4);
    if (lane >= d) x += y;
  }
  if (lane == 3) totals[warp] = x;
  __syncthreads();
  for (int w = 0; w < warp; w++) x += totals[w];
  v[t] = x;
}
