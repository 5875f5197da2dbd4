// Never ends: the budget of tokens does.
__global__ void spin(volatile int *flag) {
  while (*flag == 0) {
  }
}
