// The launch asks for another name.
__global__ void double_it(int *v) { v[threadIdx.x] *= 2; }
