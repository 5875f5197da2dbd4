// Run-length encoding: who starts a run, and how long it is.
__global__ void run_lengths(const int *v, int n, int *length) {
  int i = threadIdx.x;
  if (i >= n) return;
  int run = 0;
  if (i == 0 || v[i] != v[i - 1])
    do ++run;
    while (i + run < n && v[i + run] == v[i]);
  length[i] = run;
}
