// Is each word a palindrome? Words are separated by one blank; threads start at their word.
__global__ void palindromes(const char *text, const int *first, const int *last, int *yes) {
  int i = first[threadIdx.x], j = last[threadIdx.x];
  while (i < j && text[i] == text[j]) {
    ++i;
    --j;
  }
  yes[threadIdx.x] = i >= j;
}
