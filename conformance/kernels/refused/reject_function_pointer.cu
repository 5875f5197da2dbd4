// Calls through a pointer that is only known at run time.
typedef int (*Operation)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int times(int a, int b) { return a * b; }
__device__ Operation operations[2] = {plus, times};
__global__ void apply(int *v, int which) { v[threadIdx.x] = operations[which](v[threadIdx.x], 3); }
