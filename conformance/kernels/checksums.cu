// Checksums and hashes of byte strings, one string a thread or one for all.
__global__ void crc32(const unsigned char *data, int length, unsigned *crc) {
  const unsigned char *p = data + threadIdx.x * length;
  unsigned c = 0xffffffffu;
  for (int i = 0; i < length; ++i) {
    c ^= p[i];
    for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
  }
  crc[threadIdx.x] = ~c;
}

__global__ void fnv1a(const unsigned char *data, int length, unsigned *hash) {
  unsigned h = 2166136261u;
  for (const unsigned char *p = data + threadIdx.x * length, *end = p + length; p != end; ++p) h = (h ^ *p) * 16777619u;
  hash[threadIdx.x] = h;
}

__global__ void djb2(const unsigned *words, int length, unsigned *hash) {
  unsigned h = 5381;
  for (int i = 0; i < length; ++i) h = (h << 5) + h + words[threadIdx.x * length + i];
  hash[threadIdx.x] = h;
}

__global__ void adler32(const unsigned char *data, int n, unsigned *sum) {
  if (threadIdx.x) return;
  unsigned a = 1, b = 0;
  for (int i = 0; i < n; i++) {
    a = (a + data[i]) % 65521;
    b = (b + a) % 65521;
  }
  *sum = b << 16 | a;
}

__global__ void luhn(const int *digits, int length, int *valid) {
  int sum = 0;
  for (int i = 0; i < length; ++i) {
    int d = digits[threadIdx.x * length + i];
    if ((length - i) % 2 == 0) {
      d *= 2;
      if (d > 9) d -= 9;
    }
    sum += d;
  }
  valid[threadIdx.x] = sum % 10 == 0;
}
