// Population count, leading and trailing zeros, position of the lowest one, bit length.
struct Counts { int ones, leading, first, length; };

__global__ void bit_counts(const unsigned *v, Counts *out) {
  unsigned x = v[threadIdx.x];
  out[threadIdx.x] = {__popc(x), __clz(x), __ffs(x), 32 - __clz(x)};
}
