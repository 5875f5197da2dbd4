// State machines driven by a transition table, and a counter machine.
__global__ void run_dfa(const int *table, const int *inputs, int length, int *final_state) {
  int state = 0;
  for (int i = 0; i < length; ++i) state = table[state * 2 + inputs[threadIdx.x * length + i]];
  final_state[threadIdx.x] = state;
}

__global__ void vending(const int *coins, int length, int price, int2 *result) {
  int credit = 0, sold = 0;
  for (int i = 0; i < length; ++i) {
    int coin = coins[threadIdx.x * length + i];
    if (coin == 0) {
      credit = 0;
    } else {
      credit += coin;
      if (credit >= price) {
        credit -= price;
        ++sold;
      }
    }
  }
  result[threadIdx.x] = make_int2(sold, credit);
}
