// The kernel takes two parameters; the launch gives one.
__global__ void add(int *v, int by) { v[threadIdx.x] += by; }
