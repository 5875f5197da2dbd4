// 64 threads in a block: twice what the machine holds.
__global__ void iota(int *v) { v[threadIdx.x] = threadIdx.x; }
