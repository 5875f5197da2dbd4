// Element by element, in place. A result is exact or none: what does not fit 32 bits traps. The
// comment behind a trap is what the user is told.

__device__ int narrow(long long wide) {
  const int value = static_cast<int>(wide);
  if (wide != value) __trap();  // the result does not fit 32 bits
  return value;
}

struct Add {
  __device__ static int of(int a, int b) { return narrow(static_cast<long long>(a) + b); }
};
struct Subtract {
  __device__ static int of(int a, int b) { return narrow(static_cast<long long>(a) - b); }
};
struct Multiply {
  __device__ static int of(int a, int b) { return narrow(static_cast<long long>(a) * b); }
};
struct Divide {
  __device__ static int of(int a, int b) {
    if (b == 0) __trap();  // division by zero
    if (b == -1) return narrow(-static_cast<long long>(a));
    return a / b;
  }
};
struct Remainder {
  __device__ static int of(int a, int b) {
    if (b == 0) __trap();  // division by zero
    return b == -1 ? 0 : a % b;
  }
};
struct Minimum {
  __device__ static int of(int a, int b) { return min(a, b); }
};
struct Maximum {
  __device__ static int of(int a, int b) { return max(a, b); }
};
struct Equal {
  __device__ static int of(int a, int b) { return a == b; }
};
struct NotEqual {
  __device__ static int of(int a, int b) { return a != b; }
};
struct Less {
  __device__ static int of(int a, int b) { return a < b; }
};
struct LessEqual {
  __device__ static int of(int a, int b) { return a <= b; }
};
struct Greater {
  __device__ static int of(int a, int b) { return a > b; }
};
struct GreaterEqual {
  __device__ static int of(int a, int b) { return a >= b; }
};

template <typename Operation>
__global__ void arrays(int *a, const int *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = Operation::of(a[i], b[i]);
}

template <typename Operation>
__global__ void array_scalar(int *a, int b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = Operation::of(a[i], b);
}

template <typename Operation>
__global__ void scalar_array(int a, int *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = Operation::of(a, b[i]);
}

__global__ void negate(int *a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = narrow(-static_cast<long long>(a[i]));
}

__global__ void absolute(int *a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (a[i] < 0) a[i] = narrow(-static_cast<long long>(a[i]));
}
