// Tic-tac-toe: who has three in a row? Boards are bit masks of the two players.
__device__ bool wins(unsigned b) {
  const unsigned rows = b & b >> 1 & b >> 2 & 0111;
  const unsigned columns = b & b >> 3 & b >> 6;
  return rows || columns || (b & 0421) == 0421 || (b & 0124) == 0124;
}

__global__ void winner(const unsigned *x, const unsigned *o, int *who) {
  int i = threadIdx.x;
  who[i] = wins(x[i]) ? 1 : wins(o[i]) ? 2 : (x[i] | o[i]) == 0777 ? 3 : 0;
}
