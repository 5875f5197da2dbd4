// Convolution with taps from constant memory, and with a 3x3 mask on an image.
__constant__ int taps[5] = {1, -4, 6, -4, 1};

__global__ void convolve(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int k = 0; k < 5; ++k) {
    int j = i + k - 2;
    if (j >= 0 && j < n) sum += taps[k] * in[j];
  }
  out[i] = sum;
}

__global__ void convolve3x3(const int *image, const int *mask, int *out, int w) {
  int x = threadIdx.x, y = threadIdx.y, sum = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) sum += mask[dy * 3 + dx] * image[(y + dy) * w + x + dx];
  out[y * blockDim.x + x] = sum;
}
