// One generation of the game of life on a torus.
__global__ void life(const unsigned char *old, unsigned char *next, int w, int h) {
  int x = threadIdx.x, y = blockIdx.x;
  int l = x == 0 ? w - 1 : x - 1, r = x == w - 1 ? 0 : x + 1;
  int u = (y + h - 1) % h * w, m = y * w, d = (y + 1) % h * w;
  int around = old[u + l] + old[u + x] + old[u + r] + old[m + l] + old[m + r] + old[d + l] + old[d + x] + old[d + r];
  next[m + x] = around == 3 || (around == 2 && old[m + x]);
}
