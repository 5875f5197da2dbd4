// 130 words of arrays; the machine has 126.
__global__ void copy(const int *a, int *b) { b[threadIdx.x] = a[threadIdx.x]; }
