// __device__ variables and tables: zero at first, initialised, written and read in one launch.
__device__ int counter;
__device__ unsigned squares[6] = {0, 1, 4, 9, 16, 25};
static __device__ const int steps[3] = {5, -7, 11};

__global__ void count_up(int *out) {
  int ticket = atomicAdd(&counter, 1);
  __syncthreads();
  out[0] = counter;
  atomicAdd(&out[1], ticket);
}

__global__ void square_table(const int *i, unsigned *out) {
  out[threadIdx.x] = squares[i[threadIdx.x] % 6] + steps[threadIdx.x % 3];
}
