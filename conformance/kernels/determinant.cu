// 3x3 determinants by Sarrus' rule, one matrix a thread.
__global__ void determinant3(const int *matrices, int *out) {
  const int *m = matrices + 9 * threadIdx.x;
  out[threadIdx.x] = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
                     m[2] * (m[3] * m[7] - m[4] * m[6]);
}
