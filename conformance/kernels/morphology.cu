// Dilation and erosion with a window of three.
template <bool dilate>
__global__ void morphology(const int *in, int *out, int n) {
  int i = threadIdx.x;
  int left = i > 0 ? in[i - 1] : in[i], right = i < n - 1 ? in[i + 1] : in[i];
  out[i] = dilate ? max(in[i], max(left, right)) : min(in[i], min(left, right));
}
template __global__ void morphology<true>(const int *, int *, int);
template __global__ void morphology<false>(const int *, int *, int);
