// Small state machines over text: words, nesting of brackets, a validator of decimal numbers.
__global__ void count_words(const int *text, int n, int *words) {
  bool inside = false;
  int count = 0;
  for (int i = 0; i < n; ++i) {
    bool letter = text[i] > ' ';
    if (letter && !inside) ++count;
    inside = letter;
  }
  if (threadIdx.x == 0) words[0] = count;
}

__global__ void nesting(const int *text, int length, int *depth) {
  int open = 0, deepest = 0;
  for (int i = 0; i < length && open >= 0; ++i) {
    int c = text[threadIdx.x * length + i];
    if (c == '(') {
      if (++open > deepest) deepest = open;
    } else if (c == ')') {
      --open;
    }
  }
  depth[threadIdx.x] = open == 0 ? deepest : -1;
}

enum State { START, SIGN, DIGITS, POINT, FRACTION, BAD };

__global__ void is_number(const int *text, int length, int *valid) {
  State state = START;
  for (int i = 0; i < length; i++) {
    int c = text[threadIdx.x * length + i];
    if (c == 0) break;
    const bool digit = c >= '0' && c <= '9';
    switch (state) {
      case START: state = digit ? DIGITS : c == '-' || c == '+' ? SIGN : c == '.' ? POINT : BAD; break;
      case SIGN: state = digit ? DIGITS : c == '.' ? POINT : BAD; break;
      case DIGITS: state = digit ? DIGITS : c == '.' ? FRACTION : BAD; break;
      case POINT:
      case FRACTION: state = digit ? FRACTION : BAD; break;
      default: break;
    }
  }
  valid[threadIdx.x] = state == DIGITS || state == FRACTION;
}
