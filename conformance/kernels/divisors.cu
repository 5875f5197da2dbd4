// Sums of divisors: perfect, abundant or deficient; and how many divisors.
enum Kind { DEFICIENT = -1, PERFECT = 0, ABUNDANT = 1 };

__global__ void classify(const int *n, int *kind) {
  int x = n[threadIdx.x], sum = 0;
  for (int d = 1; d <= x / 2; ++d)
    if (x % d == 0) sum += d;
  kind[threadIdx.x] = sum == x ? PERFECT : sum > x ? ABUNDANT : DEFICIENT;
}

__global__ void totient(const unsigned *n, unsigned *phi) {
  unsigned x = n[threadIdx.x], result = x;
  for (unsigned p = 2; p * p <= x; ++p) {
    if (x % p != 0) continue;
    while (x % p == 0) x /= p;
    result -= result / p;
  }
  if (x > 1) result -= result / x;
  phi[threadIdx.x] = result;
}
