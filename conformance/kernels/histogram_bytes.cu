// Letters of a text, counted by class: vowels, other letters, digits, the rest.
__device__ int classOf(unsigned char c) {
  const unsigned char lower = c | 0x20;
  if (lower >= 'a' && lower <= 'z') {
    return lower == 'a' || lower == 'e' || lower == 'i' || lower == 'o' || lower == 'u' ? 0 : 1;
  }
  return c >= '0' && c <= '9' ? 2 : 3;
}

__global__ void letter_classes(const unsigned char *text, int n, int *count) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) atomicAdd(count + classOf(text[i]), 1);
}
