// y = a * x + y, the "hello world" of CUDA, in integers.
__global__ void saxpy(int n, int a, const int *x, int *y)
{
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < n) y[i] = a*x[i] + y[i];
}
