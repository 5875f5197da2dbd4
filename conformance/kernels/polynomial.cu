// Horner's rule: every thread evaluates the same polynomial at its own point.
__global__ void horner(const unsigned *coefficients, int degree, const unsigned *x, unsigned *y) {
  const unsigned point = x[threadIdx.x];
  unsigned value = 0;
  for (int k = degree; k >= 0; --k) value = value * point + coefficients[k];
  y[threadIdx.x] = value;
}
