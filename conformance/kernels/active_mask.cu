// Who runs with me? At the top of a kernel everyone; in a branch those who took it.
__global__ void who(const int *v, unsigned *top, unsigned *branch) {
  int t = threadIdx.x;
  top[t] = __activemask() & 15u;
  if (v[t] > 0) branch[t] = __activemask() & 15u;
}
