// Lists and matrices moved and combined. The comment behind a trap is what the user is told.

// Running sums, in one thread block: each thread adds up a chunk, then all before it. Sums of
// chunks may wrap around; each step of the second pass starts from an exact prefix, so it notices
// the first one that does not fit.
__global__ void scan(int *a, int n, int chunk) {
  __shared__ int totals[32];
  const int first = threadIdx.x * chunk;
  const int last = min(first + chunk, n);
  int sum = 0;
  for (int i = first; i < last; ++i) sum += a[i];
  totals[threadIdx.x] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < threadIdx.x; ++i) sum += totals[i];
  for (int i = first; i < last; ++i) {
    const long long wide = static_cast<long long>(sum) + a[i];
    sum = static_cast<int>(wide);
    if (wide != sum) __trap();  // a running sum does not fit 32 bits
    a[i] = sum;
  }
}

// Odd-even transposition in one thread block: neighbours change places until all are in order.
__global__ void sort(int *a, int n) {
  for (int phase = 0; phase < n; ++phase) {
    for (int i = 2 * threadIdx.x + (phase & 1); i + 1 < n; i += 2 * blockDim.x) {
      const int left = a[i];
      const int right = a[i + 1];
      if (left > right) {
        a[i] = right;
        a[i + 1] = left;
      }
    }
    __syncthreads();
  }
}

// A thread for each pair.
__global__ void reverse(int *a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  const int left = a[i];
  a[i] = a[n - 1 - i];
  a[n - 1 - i] = left;
}

// A thread for each element: out[column][row] = a[row][column].
__global__ void transpose(const int *a, int *out, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) out[i % columns * rows + i / columns] = a[i];
}

// A thread for each element of the product [n / columns, columns].
__global__ void matmul(const int *a, const int *b, int *out, int inner, int columns, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  a += i / columns * inner;
  b += i % columns;
  long long sum = 0;
  for (int k = 0; k < inner; ++k) {
    const int left = a[k];
    const int right = b[k * columns];
    const int product = left * right;
    if (__mulhi(left, right) != product >> 31) __trap();  // a product does not fit 32 bits
    sum += product;
  }
  if (sum != static_cast<int>(sum)) __trap();  // an element of the result does not fit 32 bits
  out[i] = static_cast<int>(sum);
}
