// Small matrix utilities.
extern "C" {

__global__ void identity(int *m, int n) {
  int i = threadIdx.x;
  if (i < n * n) m[i] = i / n == i % n;
}

__global__ void trace(const int *m, int n, int *out) {
  if (threadIdx.x < n) atomicAdd(out, m[threadIdx.x * (n + 1)]);
}

__global__ void upper_triangle(int *m, int n) {
  if (threadIdx.y > threadIdx.x) m[threadIdx.y * n + threadIdx.x] = 0;
}

__global__ void is_symmetric(const int *m, int n, int *broken) {
  if (m[threadIdx.y * n + threadIdx.x] != m[threadIdx.x * n + threadIdx.y]) atomicOr(broken, 1);
}

__global__ void rotate_right(const int *in, int *out, int n) {
  out[threadIdx.x * n + (n - 1 - threadIdx.y)] = in[threadIdx.y * n + threadIdx.x];
}

}
