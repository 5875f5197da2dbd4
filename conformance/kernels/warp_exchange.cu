// Lanes exchange through shared memory, __syncwarp between; and the lane number by warpSize.
__global__ void reverse_in_warp(const int *v, int *out) {
  __shared__ int box[32];
  int t = threadIdx.x;
  box[t] = v[t];
  __syncwarp();
  out[t] = box[t ^ 3];
}

__global__ void lane_and_warp(int *lane, int *warp) {
  lane[threadIdx.x] = threadIdx.x % warpSize;
  warp[threadIdx.x] = threadIdx.x / warpSize;
}

__global__ void syncwarp_tree(int *v) {
  __shared__ int s[16];
  int t = threadIdx.x, lane = t % 4;
  s[t] = v[t];
  __syncwarp(0xffffffffu);
  if (lane < 2) s[t] += s[t + 2];
  __syncwarp(0xffffffffu);
  if (lane < 1) s[t] += s[t + 1];
  __syncwarp(0xffffffffu);
  v[t] = s[t - lane];
}
