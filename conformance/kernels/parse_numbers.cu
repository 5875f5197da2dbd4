// atoi on rows of characters, and hexadecimal digits to a word.
__global__ void parse_decimal(const int *text, int length, int *value) {
  const int *p = text + threadIdx.x * length, *end = p + length;
  int sign = 1, v = 0;
  while (p < end && *p == ' ') ++p;
  if (p < end && (*p == '-' || *p == '+')) sign = *p++ == '-' ? -1 : 1;
  while (p < end && *p >= '0' && *p <= '9') v = 10 * v + (*p++ - '0');
  value[threadIdx.x] = sign * v;
}

__global__ void parse_hex(const unsigned char *text, unsigned *value) {
  unsigned v = 0;
  for (int i = 0; i < 8; ++i) {
    unsigned c = text[threadIdx.x * 8 + i];
    unsigned digit = c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
    v = v << 4 | digit;
  }
  value[threadIdx.x] = v;
}
