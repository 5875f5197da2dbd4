// Base64 letters of 6-bit groups, rot13 with a table in constant memory, UTF-8 lengths.
__constant__ signed char first_of_class[4] = {'A', 'a', '0', '+'};

__global__ void base64_letters(const int *groups, int *letters) {
  int g = groups[threadIdx.x];
  int which = g < 26 ? 0 : g < 52 ? 1 : g < 62 ? 2 : 3;
  int base = which == 0 ? 0 : which == 1 ? 26 : which == 2 ? 52 : 62;
  letters[threadIdx.x] = g == 63 ? '/' : first_of_class[which] + g - base;
}

__global__ void count_code_points(const unsigned char *utf8, int n, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (utf8[i] & 0xc0) != 0x80) atomicAdd(count, 1);
}
