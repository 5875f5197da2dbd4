// Parameters of every kind.
__global__ void many(int a, unsigned b, const int *p, short c, int *q, unsigned char d, int e, int f, const unsigned *r,
                     bool g) {
  int t = threadIdx.x;
  q[t] = a + (int)b + p[t] * c - d + (g ? e : f) + (int)(r[t] >> 16);
}

struct Affine {
  int scale;
  int offset;
  signed char shift;
  unsigned short mask;
};

__global__ void by_struct(Affine f, const int *in, int *out) {
  int x = in[threadIdx.x];
  out[threadIdx.x] = ((x * f.scale + f.offset) >> f.shift) & f.mask;
}

struct Filter {
  int taps[3];
  int divisor;
};

__global__ void struct_with_array(const int *in, int *out, Filter f, int n) {
  int i = threadIdx.x;
  if (i + 2 < n) out[i] = (in[i] * f.taps[0] + in[i + 1] * f.taps[1] + in[i + 2] * f.taps[2]) / f.divisor;
}

__global__ void vector_parameters(int2 a, uchar4 b, int *out) {
  out[threadIdx.x] = threadIdx.x * (a.x - a.y) + b.x + (b.y << 8) + (b.z << 16) + b.w;
}

__global__ void wide_parameter(long long a, unsigned long long b, int *out) {
  out[0] = (int)a;
  out[1] = (int)(a >> 32);
  out[2] = (int)(b >> 20);
}

__global__ void same_name(int out, int *result) { result[threadIdx.x] = out; }

__global__ void nothing() {}

__global__ void no_scalars(int *v) { v[threadIdx.x] += v[blockDim.x]; }
