// Loads and stores narrower than a word.
__global__ void load_bytes(const signed char *s, const unsigned char *u, int *out) {
  out[threadIdx.x] = s[threadIdx.x] * 1000 + u[threadIdx.x];
}

__global__ void load_halves(const short *s, const unsigned short *u, int *out) {
  out[threadIdx.x] = s[threadIdx.x] - u[threadIdx.x];
}

__global__ void store_bytes(const int *v, unsigned char *out) { out[threadIdx.x] = v[threadIdx.x] >> 3; }

__global__ void store_halves(const int *v, short *out) { out[threadIdx.x + 1] = v[threadIdx.x] * 3; }

__global__ void invert_image(unsigned char *pixels, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) pixels[i] = 255 - pixels[i];
}

// Every thread writes one byte of the same word.
__global__ void bytes_of_a_word(unsigned *words) {
  unsigned char *p = reinterpret_cast<unsigned char *>(words);
  p[threadIdx.x] = threadIdx.x * 17;
}

__global__ void grey(const uchar4 *pixels, unsigned char *out) {
  uchar4 p = pixels[threadIdx.x];
  out[threadIdx.x] = (p.x * 77 + p.y * 151 + p.z * 28) >> 8;
}
