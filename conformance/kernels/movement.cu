// Gather, scatter, permutation in place, rotation of an array.
__global__ void gather(const int *from, const int *index, int *to, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) to[i] = from[index[i]];
}

__global__ void scatter(const int *from, const int *index, int *to) { to[index[threadIdx.x]] = from[threadIdx.x]; }

__global__ void permute_in_place(int *v, const int *index) {
  int x = v[threadIdx.x], where = index[threadIdx.x];
  __syncthreads();
  v[where] = x;
}

__global__ void partition(const int *in, int *out, int pivot, int *ends) {
  int x = in[threadIdx.x];
  int at = x < pivot ? atomicAdd(&ends[0], 1) : atomicSub(&ends[1], 1) - 1;
  out[at] = x;
}
