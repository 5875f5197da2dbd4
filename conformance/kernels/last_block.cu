// A sum in one launch: every block leaves its part, and the block that comes last adds them up.
// Which block that is does not matter to the result.
__device__ unsigned int finished = 0;

__global__ void sum_in_one_launch(const int *in, int *parts, int *total) {
  __shared__ bool last;
  int t = threadIdx.x;
  if (t == 0) {
    int sum = 0;
    for (int i = 0; i < blockDim.x; i++) sum += in[blockIdx.x * blockDim.x + i];
    parts[blockIdx.x] = sum;
    __threadfence();
    unsigned int ticket = atomicInc(&finished, gridDim.x);
    last = ticket == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += parts[b];
    *total = sum;
  }
}
