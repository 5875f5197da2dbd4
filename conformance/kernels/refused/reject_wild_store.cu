// Writes far outside of every array.
__global__ void wild(int *v, int by) { v[threadIdx.x * by] = 1; }
