// Decimal digits: their sum, the number reversed, palindromes, Armstrong numbers.
__global__ void digit_sum(const unsigned *n, int *sum) {
  unsigned x = n[threadIdx.x];
  int s = 0;
  for (; x; x /= 10) s += x % 10;
  sum[threadIdx.x] = s;
}

__global__ void palindrome(const int *n, int *yes) {
  int x = n[threadIdx.x], reversed = 0;
  while (x > 0) {
    reversed = reversed * 10 + x % 10;
    x /= 10;
  }
  yes[threadIdx.x] = reversed == n[threadIdx.x];
}

__global__ void armstrong(const int *n, int *yes) {
  int x = n[threadIdx.x], sum = 0;
  for (int y = x; y != 0; y /= 10) {
    int d = y % 10;
    sum += d * d * d;
  }
  yes[threadIdx.x] = sum == x;
}

__global__ void to_bcd(const unsigned *n, unsigned *bcd) {
  unsigned x = n[threadIdx.x], out = 0;
  for (int shift = 0; shift < 32; shift += 4) {
    out |= x % 10 << shift;
    x /= 10;
  }
  bcd[threadIdx.x] = out;
}
