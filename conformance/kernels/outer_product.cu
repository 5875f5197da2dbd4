// The outer product of two vectors on a two-dimensional block.
__global__ void outer(const short *column, const short *row, int *matrix) {
  matrix[threadIdx.y * blockDim.x + threadIdx.x] = column[threadIdx.y] * row[threadIdx.x];
}
