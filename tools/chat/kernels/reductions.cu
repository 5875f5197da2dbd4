// Many elements to one, in one thread block. The comment behind a trap is what the user is told.

// Totals are exact whatever the order: the halves of the words are added apart, neither of which
// can overflow, and put together at the end. total[0] receives the result.
__device__ void accumulate(int *total, int word) {
  atomicAdd(&total[0], word & 0xffff);
  atomicAdd(&total[1], word >> 16);
}
__device__ void combine(int *total) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  const int high = total[1] + (total[0] >> 16);
  if (high != static_cast<short>(high)) __trap();  // the total does not fit 32 bits
  total[0] = high << 16 | (total[0] & 0xffff);
}

__global__ void sum(const int *a, int *total, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) accumulate(total, a[i]);
  combine(total);
}

__global__ void dot(const int *a, const int *b, int *total, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const int product = a[i] * b[i];
    if (__mulhi(a[i], b[i]) != product >> 31) __trap();  // a product does not fit 32 bits
    accumulate(total, product);
  }
  combine(total);
}

// From left to right, as a running product must.
__global__ void prod(int *a, int n) {
  int product = a[0];
  for (int i = 1; i < n; ++i) {
    const int next = product * a[i];
    if (__mulhi(product, a[i]) != next >> 31) __trap();  // the product does not fit 32 bits
    product = next;
  }
  a[0] = product;
}

// `extreme` starts as the largest or the smallest integer there is.
__global__ void smallest(const int *a, int *extreme, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicMin(extreme, a[i]);
}
__global__ void largest(const int *a, int *extreme, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicMax(extreme, a[i]);
}

__global__ void count(const int *a, int *total, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(total, 1);
}
