#include <cstdio>
// There is nobody to print to.
__global__ void hello() { printf("Hello from thread %d\n", threadIdx.x); }
