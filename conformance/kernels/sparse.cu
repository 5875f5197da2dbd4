// Sparse matrix times vector in CSR form: rows of different lengths diverge.
__global__ void spmv_csr(const int *row_ptr, const int *col, const int *val, const int *x, int *y, int rows) {
  int r = threadIdx.x;
  if (r < rows) {
    int dot = 0;
    int end = row_ptr[r + 1];
    for (int j = row_ptr[r]; j < end; j++) dot += val[j] * x[col[j]];
    y[r] = dot;
  }
}
