// Adjacent differences; the first element stays.
template <typename T>
__global__ void adjacent_difference(const T *in, T *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i == 0 ? in[0] : in[i] - in[i - 1];
}
template __global__ void adjacent_difference<unsigned>(const unsigned *, unsigned *, int);
