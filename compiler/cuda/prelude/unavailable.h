// Functions of CUDA that this machine cannot have. A kernel that names one is refused there.
#pragma once

#define __QGPU_UNAVAILABLE(reason) __device__ __attribute__((unavailable(reason)))

extern "C" {
__QGPU_UNAVAILABLE("the machine has no clock that a kernel can read; count iterations instead")
clock_t clock();
__QGPU_UNAVAILABLE("the machine has no clock that a kernel can read; count iterations instead")
long long clock64();
}
#define __QGPU_MATCH "the machine has no match instruction; compare with __shfl_sync instead"
__QGPU_UNAVAILABLE(__QGPU_MATCH) unsigned int __match_any_sync(unsigned int, unsigned long long);
__QGPU_UNAVAILABLE(__QGPU_MATCH)
unsigned int __match_all_sync(unsigned int, unsigned long long, int*);
#define __QGPU_REDUCE "needs sm_80, and this is sm_75; reduce with __shfl_xor_sync instead"
__QGPU_UNAVAILABLE(__QGPU_REDUCE) unsigned int __reduce_add_sync(unsigned int, unsigned int);
__QGPU_UNAVAILABLE(__QGPU_REDUCE) int __reduce_min_sync(unsigned int, int);
__QGPU_UNAVAILABLE(__QGPU_REDUCE) int __reduce_max_sync(unsigned int, int);
__QGPU_UNAVAILABLE(__QGPU_REDUCE) unsigned int __reduce_and_sync(unsigned int, unsigned int);
__QGPU_UNAVAILABLE(__QGPU_REDUCE) unsigned int __reduce_or_sync(unsigned int, unsigned int);
__QGPU_UNAVAILABLE(__QGPU_REDUCE) unsigned int __reduce_xor_sync(unsigned int, unsigned int);
#define __QGPU_OLD "was removed from CUDA; use the _sync form with a mask"
__QGPU_UNAVAILABLE(__QGPU_OLD) int __shfl(int, int, int = 4);
__QGPU_UNAVAILABLE(__QGPU_OLD) int __shfl_up(int, unsigned int, int = 4);
__QGPU_UNAVAILABLE(__QGPU_OLD) int __shfl_down(int, unsigned int, int = 4);
__QGPU_UNAVAILABLE(__QGPU_OLD) int __shfl_xor(int, int, int = 4);
__QGPU_UNAVAILABLE(__QGPU_OLD) int __any(int);
__QGPU_UNAVAILABLE(__QGPU_OLD) int __all(int);
__QGPU_UNAVAILABLE(__QGPU_OLD) unsigned int __ballot(int);

#undef __QGPU_OLD
#undef __QGPU_REDUCE
#undef __QGPU_MATCH
#undef __QGPU_UNAVAILABLE

#define __managed__ \
  __attribute__((unavailable("managed memory does not exist here; pass an array to the kernel")))
