// Every integer atomic function on global memory, with the old value thrown away.
__global__ void atomics_unused(int *i, unsigned *u, const int *v) {
  int x = v[threadIdx.x];
  atomicAdd(&i[0], x);
  atomicSub(&i[1], x);
  atomicMin(&i[2], x);
  atomicMax(&i[3], x);
  atomicAnd(&i[4], x);
  atomicOr(&i[5], x);
  atomicXor(&i[6], x);
  atomicMin(&u[0], (unsigned)x);
  atomicMax(&u[1], (unsigned)x);
  atomicInc(&u[2], 5);
  atomicDec(&u[3], 4);
}

// The same with the old value used, one thread after another so that it is known.
__global__ void atomics_used(unsigned *cell, const unsigned *v, unsigned *old) {
  if (threadIdx.x != 0) return;
  old[0] = atomicAdd(cell, v[0]);
  old[1] = atomicSub(cell, v[1]);
  old[2] = atomicExch(cell, v[2]);
  old[3] = atomicMin(cell, v[3]);
  old[4] = atomicMax(cell, v[4]);
  old[5] = atomicInc(cell, v[5]);
  old[6] = atomicDec(cell, v[6]);
  old[7] = atomicCAS(cell, v[6], v[7]);
  old[8] = atomicAnd(cell, v[8]);
  old[9] = atomicOr(cell, v[9]);
  old[10] = atomicXor(cell, v[10]);
}
