// Element-wise sum of two vectors, with the host code that a CUDA tutorial would have around it.
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void vectorAdd(const int *A, const int *B, int *C, int numElements) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;

  if (i < numElements) {
    C[i] = A[i] + B[i];
  }
}

#ifdef __CUDACC__
int main(void) {
  const int numElements = 40;
  size_t size = numElements * sizeof(int);
  int *h_A = (int *)malloc(size), *d_A = NULL, *d_B = NULL, *d_C = NULL;
  cudaMalloc((void **)&d_A, size);
  cudaMalloc((void **)&d_B, size);
  cudaMalloc((void **)&d_C, size);
  cudaMemcpy(d_A, h_A, size, cudaMemcpyHostToDevice);
  int threadsPerBlock = 8;
  int blocksPerGrid = (numElements + threadsPerBlock - 1) / threadsPerBlock;
  vectorAdd<<<blocksPerGrid, threadsPerBlock>>>(d_A, d_B, d_C, numElements);
  if (cudaGetLastError() != cudaSuccess) fprintf(stderr, "launch failed\n");
  free(h_A);
  return 0;
}
#endif
