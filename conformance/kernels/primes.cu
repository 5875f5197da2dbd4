// Trial division, and the sieve of Eratosthenes by one block.
__global__ void is_prime(const int *n, int *prime) {
  int x = n[threadIdx.x];
  bool p = x >= 2;
  for (int d = 2; p && d * d <= x; ++d) p = x % d != 0;
  prime[threadIdx.x] = p;
}

__global__ void sieve(int *composite, int n) {
  for (int p = 2; p * p < n; ++p) {
    if (composite[p] == 0)
      for (int m = p * p + (int)threadIdx.x * p; m < n; m += blockDim.x * p) composite[m] = 1;
    __syncthreads();
  }
}
