// A three-state busy beaver on a tape of 32 bits in a register.
__global__ void busy_beaver(unsigned *tape, int *steps, int limit) {
  unsigned t = tape[threadIdx.x];
  int head = 16, state = 0, n = 0;
  // A nibble for each state: next state, whether to go right, symbol to write. State 3 halts.
  while (state != 3 && n < limit) {
    unsigned bit = t >> head & 1;
    unsigned rule = (bit ? 0xf79u : 0x517u) >> 4 * state & 15;
    t = (t & ~(1u << head)) | (rule & 1) << head;
    head = (head + ((rule & 2) ? 1 : 31)) & 31;
    state = rule >> 2;
    ++n;
  }
  tape[threadIdx.x] = t;
  steps[threadIdx.x] = n;
}
