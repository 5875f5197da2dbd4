// A handful of one-line kernels in one file, as in the first chapter of a course.
#include <cstdint>

namespace elementwise {

__global__ void negate(int32_t *v) { v[threadIdx.x] = -v[threadIdx.x]; }

__global__ void square(const int32_t *in, int32_t *out) {
  const int32_t x = in[threadIdx.x];
  out[threadIdx.x] = x * x;
}

__global__ void absolute(const int32_t *in, int32_t *out) { out[threadIdx.x] = abs(in[threadIdx.x]); }

__global__ void clamp(const int32_t *in, int32_t *out, int32_t low, int32_t high) {
  out[threadIdx.x] = min(max(in[threadIdx.x], low), high);
}

__global__ void sign(const int32_t *in, int32_t *out) {
  const int32_t x = in[threadIdx.x];
  out[threadIdx.x] = (x > 0) - (x < 0);
}

}  // namespace elementwise
