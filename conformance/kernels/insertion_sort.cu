// Each thread sorts its own row of four, by insertion.
__global__ void insertion_sort(unsigned *rows, int length) {
  unsigned *row = rows + threadIdx.x * length;
  for (int i = 1; i < length; i++) {
    unsigned key = row[i];
    int j = i - 1;
    while (j >= 0 && row[j] > key) {
      row[j + 1] = row[j];
      j--;
    }
    row[j + 1] = key;
  }
}
