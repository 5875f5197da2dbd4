// 160 threads in five blocks.
__global__ void count(int *v) { atomicAdd(v, 1); }
