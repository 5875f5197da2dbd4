// Branches in all shapes.
__global__ void nested(const int *a, const int *b, int *out) {
  int i = threadIdx.x, x = a[i], y = b[i], r;
  if (x > 0) {
    if (y > 0)
      r = x + y;
    else if (y == 0)
      r = 1000;
    else
      r = x - y;
  } else {
    if (y > x) {
      r = y * 2;
      if (r & 4) r = -r;
    } else {
      r = x ^ y;
    }
  }
  out[i] = r;
}

__global__ void grades(const int *points, char *grade) {
  int p = points[threadIdx.x];
  grade[threadIdx.x] = p >= 90 ? 'A' : p >= 80 ? 'B' : p >= 70 ? 'C' : p >= 60 ? 'D' : 'F';
}

__global__ void dense_switch(const int *op, const int *a, const int *b, int *out) {
  int i = threadIdx.x;
  int x = a[i], y = b[i];
  switch (op[i]) {
    case 0: x += y; break;
    case 1: x -= y; break;
    case 2: x *= y; break;
    case 3: x &= y; break;
    case 4: x |= y;  // and on into the next
    case 5: x ^= y; break;
    default: x = -1;
  }
  out[i] = x;
}

__global__ void sparse_switch(const int *code, int *meaning) {
  int m = 0;
  switch (code[threadIdx.x]) {
    case 200: m = 1; break;
    case 301:
    case 302: m = 2; break;
    case 404: m = 3; break;
    case -1: m = 4; break;
    case 0x7fffffff: m = 5; break;
  }
  meaning[threadIdx.x] = m;
}

__global__ void short_circuit(const int *v, int n, int *out) {
  int i = threadIdx.x;
  bool both = i + 1 < n && v[i] < v[i + 1];
  bool either = i == 0 || v[i - 1] > 0;
  out[i] = both + 2 * either + 4 * !(both || either);
}

__global__ void jump(const int *v, int *out) {
  int x = v[threadIdx.x], n = 0;
again:
  if (x == 0) goto done;
  if (x & 1) goto odd;
  x /= 2;
  ++n;
  goto again;
odd:
  x -= 1;
  n += 10;
  goto again;
done:
  out[threadIdx.x] = n;
}
