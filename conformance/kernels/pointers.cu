// Pointers into arrays, arrays of structs, vector types.
__global__ void sum_between(const int *first, const int *last, int *out) {
  int sum = 0;
  for (const int *p = first + threadIdx.x; p < last - threadIdx.x; ++p) sum += *p;
  out[threadIdx.x] = sum;
}

__global__ void negative_index(const int *middle, int *out) {
  const int *p = middle + 8;
  int i = (int)threadIdx.x - 8;
  out[threadIdx.x] = p[i] - p[-i - 1];
}

__global__ void swap_halves(int2 *v, int n) {
  int2 *a = v + threadIdx.x, *b = v + n / 2 + threadIdx.x;
  int2 t = *a;
  *a = make_int2(b->y, b->x);
  *b = make_int2(t.y, t.x);
}

struct Particle {
  int x, y;
  short vx, vy;
  unsigned char life, kind;
};

__global__ void move_particles(Particle *p) {
  Particle &q = p[threadIdx.x];
  q.x += q.vx;
  q.y += q.vy;
  if (q.life > 0) --q.life;
}

__global__ void alias(int *p, int n) {
  int *q = p + 1;
  for (int i = 0; i < n; ++i) {
    q[i * blockDim.x] = p[i * blockDim.x] + 1;
    p[i * blockDim.x] *= 2;
  }
}

__global__ void read_only(const int *__restrict__ in, int *__restrict__ out) {
  int i = threadIdx.x;
  out[i] = __ldg(&in[i]) + __ldg(in + (i ^ 1));
}

__global__ void long_index(const int *in, int *out, long n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (size_t)n) out[i] = in[n - 1 - (long)i];
}
