// The cross product of 3-vectors held in structs.
struct Vec3 { int x, y, z; };

__device__ Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

__global__ void cross_products(const Vec3 *a, const Vec3 *b, Vec3 *c) {
  int i = threadIdx.x;
  c[i] = cross(a[i], b[i]);
}
