// Merging two sorted lists: an element's place is its own index plus its rank in the other list.
__global__ void merge(const int *a, int na, const int *b, int nb, int *out) {
  int i = threadIdx.x;
  bool from_a = i < na;
  if (i >= na + nb) return;
  int x = from_a ? a[i] : b[i - na];
  const int *other = from_a ? b : a;
  int low = 0, high = from_a ? nb : na;
  while (low < high) {
    int middle = (low + high) / 2;
    // Equal elements of a come before those of b.
    if (other[middle] < x || (!from_a && other[middle] == x))
      low = middle + 1;
    else
      high = middle;
  }
  out[(from_a ? i : i - na) + low] = x;
}
