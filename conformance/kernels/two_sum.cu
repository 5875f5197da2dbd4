// All pairs that add up to a target, counted on a triangular domain.
__global__ void two_sum(const int *v, int target, int *pairs) {
  int i = threadIdx.x, j = threadIdx.y + blockIdx.x * blockDim.y;
  if (i < j && v[i] + v[j] == target) atomicAdd(pairs, 1);
}
