// The C string functions, one string or one character a thread.
__global__ void string_length(const char *text, const int *start, int *length) {
  const char *p = text + start[threadIdx.x];
  int n = 0;
  while (p[n] != '\0') ++n;
  length[threadIdx.x] = n;
}

__global__ void to_upper(char *text, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && text[i] >= 'a' && text[i] <= 'z') text[i] -= 'a' - 'A';
}

__global__ void compare_strings(const unsigned char *a, const unsigned char *b, int stride, int *order) {
  a += threadIdx.x * stride;
  b += threadIdx.x * stride;
  while (*a != 0 && *a == *b) ++a, ++b;
  order[threadIdx.x] = *a - *b;
}
