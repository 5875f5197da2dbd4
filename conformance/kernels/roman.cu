// Roman numerals to numbers: letters as their ASCII codes, one numeral of up to eight a thread.
__device__ int valueOf(int c) {
  switch (c) {
    case 'I': return 1;
    case 'V': return 5;
    case 'X': return 10;
    case 'L': return 50;
    case 'C': return 100;
    case 'D': return 500;
    case 'M': return 1000;
    default: return 0;
  }
}

__global__ void roman(const unsigned char *text, int *value) {
  const unsigned char *p = text + threadIdx.x * 8;
  int sum = 0, before = 0;
  for (int i = 7; i >= 0; --i) {
    int v = valueOf(p[i]);
    sum += v < before ? -v : v;
    if (v > 0) before = v;
  }
  value[threadIdx.x] = sum;
}
