// Manhattan distance of points, and which point is nearest to the origin's neighbour (px, py).
__global__ void manhattan(const int *xs, const int *ys, int px, int py, int *out) {
  int i = threadIdx.x;
  out[i] = abs(xs[i] - px) + abs(ys[i] - py);
}
