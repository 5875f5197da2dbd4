// Caesar and Vigenere ciphers on letters kept as ints.
__device__ int shift_letter(int c, int by) {
  if (c >= 'a' && c <= 'z') return 'a' + (c - 'a' + by) % 26;
  if (c >= 'A' && c <= 'Z') return 'A' + (c - 'A' + by) % 26;
  return c;
}

__global__ void vigenere(const int *text, const int *key, int key_length, int *out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) out[i] = shift_letter(text[i], key[i % key_length] - 'a');
}
