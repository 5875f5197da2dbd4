// Threads of one warp that take a lock one after another, as GPUs since Volta can.

// A list that all threads append to. Which place each gets is open; that none is lost is not.
__global__ void spin_lock(int *lock, int *length, int *list, const int *v) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  int n = *length;
  list[n] = v[threadIdx.x];
  *length = n + 1;
  __threadfence();
  atomicExch(lock, 0);
}

// The form that older GPUs need: who has no lock yet comes round again with the others.
__global__ void lock_in_a_loop(int *lock, int *low, int *high, const int *v) {
  bool done = false;
  while (!done) {
    int held = atomicExch(lock, 1);
    if (held == 0) {
      int x = v[threadIdx.x];
      if (x < *low) *low = x;
      if (x > *high) *high = x;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

// A lock for each bucket, in shared memory; lanes with different buckets hold theirs at once.
__global__ void lock_for_each_bucket(const int *v, unsigned *sums) {
  __shared__ int lock[2];
  __shared__ unsigned sum[2][2];
  int t = threadIdx.x;
  if (t < 2) {
    lock[t] = 0;
    sum[t][0] = sum[t][1] = 0;
  }
  __syncthreads();
  int b = v[t] & 1;
  while (atomicCAS(&lock[b], 0, 1) != 0) {
  }
  sum[b][0] += v[t];
  sum[b][1] += 1;
  __threadfence_block();
  atomicExch(&lock[b], 0);
  __syncthreads();
  if (t < 4) sums[t] = sum[t / 2][t % 2];
}

// Threads draw numbers and are served in their order.
__global__ void ticket_lock(int *next, int *serving, int *served, int *count) {
  int mine = atomicAdd(next, 1);
  while (atomicAdd(serving, 0) != mine) {
  }
  served[mine] = mine * 10 + *count;
  *count = *count + 1;
  __threadfence();
  atomicAdd(serving, 1);
}
