// Boyer and Moore's majority vote, one list a thread.
__global__ void majority(const int *lists, int length, int *winner) {
  int candidate = 0, count = 0;
  for (int i = 0; i < length; ++i) {
    int x = lists[threadIdx.x * length + i];
    if (count == 0) candidate = x;
    count += x == candidate ? 1 : -1;
  }
  winner[threadIdx.x] = count > 0 ? candidate : -1;
}
