// Double precision in the middle of an integer kernel.
__global__ void percent(int *v, int total) { v[threadIdx.x] = (int)(v[threadIdx.x] * 100.0 / total); }
